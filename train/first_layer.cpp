#include "train/first_layer.h"

#include <algorithm>

#include "train/vector.h"

namespace wari {

namespace {

constexpr int kBlockVectors = 8;
constexpr int kBlock = kBlockVectors * kVector;  // floats of a row that stay in registers while all tokens go by

void add_row(float* __restrict to, const float* __restrict row, int width) {
  for (int i = 0; i < width; ++i) to[i] += row[i];
}

// out = relu(base + sum of the rows), block by block.
template <int count>
void sum_rows_relu(const float* const (&rows)[count], const float* base, float* out, int width) {
  int i = 0;
  for (; i + kBlock <= width; i += kBlock) {
    Vector sum[kBlockVectors];
    for (int v = 0; v < kBlockVectors; ++v) sum[v] = load_vector(base + i + v * kVector);
    for (const float* row : rows) {
      for (int v = 0; v < kBlockVectors; ++v) sum[v] += load_vector(row + i + v * kVector);
    }
    for (int v = 0; v < kBlockVectors; ++v) store_vector(out + i + v * kVector, sum[v] > 0 ? sum[v] : Vector{});
  }
  for (; i < width; ++i) {
    float sum = base[i];
    for (const float* row : rows) sum += row[i];
    out[i] = sum > 0 ? sum : 0.0f;
  }
}

// gradient = 0 where the activation was 0; what is left is added to all rows.
template <int count>
void add_masked_to_rows(float* gradient, const float* activation, float* const (&rows)[count], int width) {
  int i = 0;
  for (; i + kBlock <= width; i += kBlock) {
    Vector kept[kBlockVectors];
    for (int v = 0; v < kBlockVectors; ++v) {
      kept[v] = load_vector(activation + i + v * kVector) > 0 ? load_vector(gradient + i + v * kVector) : Vector{};
    }
    for (float* row : rows) {
      for (int v = 0; v < kBlockVectors; ++v) store_vector(row + i + v * kVector, load_vector(row + i + v * kVector) + kept[v]);
    }
  }
  for (; i < width; ++i) {
    const float kept = activation[i] > 0 ? gradient[i] : 0.0f;
    for (float* row : rows) row[i] += kept;
  }
}

// gradient = 0 where the activation was 0.
void mask_row(float* gradient, const float* activation, int width) {
  for (int i = 0; i < width; ++i) gradient[i] = activation[i] > 0 ? gradient[i] : 0.0f;
}

constexpr int kSharedBegin = kPitTokens, kSharedEnd = kPitTokens + kStoreTokens + 1;  // stores and quiet plies: no pit's own
constexpr int kCaptureBegin = kSharedEnd;

}  // namespace

FirstLayer::FirstLayer(const NetworkLayout& layout, int chunk)
    : layout_(layout), width_(layout.settings().width), tokens_(static_cast<std::size_t>(chunk) * kBoardTokens), shared_(static_cast<std::size_t>(width_)) {}

void FirstLayer::begin(const float* weights, std::span<const Rules> rules) {
  base_.resize(rules.size() * static_cast<std::size_t>(width_));
  base_gradient_.assign(base_.size(), 0.0f);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    float* base = base_.data() + r * static_cast<std::size_t>(width_);
    std::copy_n(weights + layout_.input_bias(), width_, base);
    Token tokens[kRuleTokens];
    encode_rules(rules[r], tokens);
    for (const Token token : tokens) add_row(base, weights + layout_.embedding() + static_cast<std::ptrdiff_t>(token) * width_, width_);
  }
}

void FirstLayer::forward(const float* weights, std::span<const Sample> samples, std::span<const Rules> rules, float* out) {
  const SowingTables& sowing = sowing_tables();
  const float* table = weights + layout_.embedding();
  const auto row_of = [&](Token token) { return table + static_cast<std::ptrdiff_t>(token) * width_; };
  const bool conv = layout_.settings().kind == TrunkKind::conv;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Sample& sample = samples[s];
    Token* tokens = tokens_.data() + s * kBoardTokens;
    encode_board(sowing, rules[sample.rules_index], sample.position, sample.quiet_plies, tokens);
    const float* base = base_.data() + static_cast<std::size_t>(sample.rules_index) * static_cast<std::size_t>(width_);
    if (conv) {
      float* sum = shared_.data();
      std::copy_n(base, width_, sum);
      for (int t = kSharedBegin; t < kSharedEnd; ++t) add_row(sum, row_of(tokens[t]), width_);
      for (int pit = 0; pit < kPitTokens; ++pit, out += width_) {
        const float* count = row_of(tokens[pit]);
        const float* capture = row_of(tokens[kCaptureBegin + pit]);
        for (int i = 0; i < width_; ++i) out[i] = std::max(sum[i] + count[i] + capture[i], 0.0f);
      }
    } else {
      const float* rows[kBoardTokens];
      for (int t = 0; t < kBoardTokens; ++t) rows[t] = row_of(tokens[t]);
      sum_rows_relu(rows, base, out, width_);
      out += width_;
    }
  }
}

void FirstLayer::backward(std::span<const Sample> samples, const float* activation, float* above, float* gradient) {
  float* table = gradient + layout_.embedding();
  const auto row_of = [&](Token token) { return table + static_cast<std::ptrdiff_t>(token) * width_; };
  const bool conv = layout_.settings().kind == TrunkKind::conv;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Token* tokens = tokens_of(s);
    float* base = base_gradient_.data() + static_cast<std::size_t>(samples[s].rules_index) * static_cast<std::size_t>(width_);
    if (conv) {
      std::fill(shared_.begin(), shared_.end(), 0.0f);
      for (int pit = 0; pit < kPitTokens; ++pit, above += width_, activation += width_) {
        mask_row(above, activation, width_);
        add_row(row_of(tokens[pit]), above, width_);
        add_row(row_of(tokens[kCaptureBegin + pit]), above, width_);
        add_row(shared_.data(), above, width_);
      }
      for (int t = kSharedBegin; t < kSharedEnd; ++t) add_row(row_of(tokens[t]), shared_.data(), width_);
      add_row(base, shared_.data(), width_);
    } else {
      float* rows[kBoardTokens + 1];
      for (int t = 0; t < kBoardTokens; ++t) rows[t] = row_of(tokens[t]);
      rows[kBoardTokens] = base;
      add_masked_to_rows(above, activation, rows, width_);
      above += width_;
      activation += width_;
    }
  }
}

void FirstLayer::end(std::span<const Rules> rules, float* gradient) {
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const float* base = base_gradient_.data() + r * static_cast<std::size_t>(width_);
    add_row(gradient + layout_.input_bias(), base, width_);
    Token tokens[kRuleTokens];
    encode_rules(rules[r], tokens);
    for (const Token token : tokens) add_row(gradient + layout_.embedding() + static_cast<std::ptrdiff_t>(token) * width_, base, width_);
  }
}

}  // namespace wari
