#include "train/first_layer.h"

#include <algorithm>

namespace wari {

namespace {

void add_row(float* to, const float* row, int width) {
  for (int i = 0; i < width; ++i) to[i] += row[i];
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
    float* sum = conv ? shared_.data() : out;
    std::copy_n(base, width_, sum);
    for (int t = kSharedBegin; t < kSharedEnd; ++t) add_row(sum, row_of(tokens[t]), width_);
    if (conv) {
      for (int pit = 0; pit < kPitTokens; ++pit, out += width_) {
        const float* count = row_of(tokens[pit]);
        const float* capture = row_of(tokens[kCaptureBegin + pit]);
        for (int i = 0; i < width_; ++i) out[i] = std::max(sum[i] + count[i] + capture[i], 0.0f);
      }
    } else {
      for (int pit = 0; pit < kPitTokens; ++pit) {
        add_row(out, row_of(tokens[pit]), width_);
        add_row(out, row_of(tokens[kCaptureBegin + pit]), width_);
      }
      for (int i = 0; i < width_; ++i) out[i] = std::max(out[i], 0.0f);
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
    const float* sum = above;
    if (conv) {
      std::fill(shared_.begin(), shared_.end(), 0.0f);
      for (int pit = 0; pit < kPitTokens; ++pit, above += width_, activation += width_) {
        mask_row(above, activation, width_);
        add_row(row_of(tokens[pit]), above, width_);
        add_row(row_of(tokens[kCaptureBegin + pit]), above, width_);
        add_row(shared_.data(), above, width_);
      }
      sum = shared_.data();
    } else {
      mask_row(above, activation, width_);
      for (int pit = 0; pit < kPitTokens; ++pit) {
        add_row(row_of(tokens[pit]), above, width_);
        add_row(row_of(tokens[kCaptureBegin + pit]), above, width_);
      }
      above += width_;
      activation += width_;
    }
    for (int t = kSharedBegin; t < kSharedEnd; ++t) add_row(row_of(tokens[t]), sum, width_);
    add_row(base_gradient_.data() + static_cast<std::size_t>(samples[s].rules_index) * static_cast<std::size_t>(width_), sum, width_);
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
