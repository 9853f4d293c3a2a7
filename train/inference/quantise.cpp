#include "train/inference/quantise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wari {
namespace {

// Positions met later may exceed the calibration's a little.
constexpr float kRangeMargin = 1.1f;
// A unit that the calibration hardly woke is treated as if it had reached this share of its stage's largest activation.
constexpr float kSmallestShare = 1.0f / 16;

// Steps of one stage's activations, [pitch]. Between a range of each unit's own, which clips what the calibration did not foresee, and one range for all, which rounds quiet units
// coarsely: own^(3/4) * common^(1/4) had a third of the largest error of the former and three quarters of the mean error of the latter.
std::vector<float> activation_steps(std::span<const float> largest, int width) {
  const float common = std::max(*std::max_element(largest.begin(), largest.end()), 1e-6f);
  std::vector<float> steps(largest.size(), 1.0f);
  for (int unit = 0; unit < width; ++unit) {
    const float own = std::max(largest[unit], common * kSmallestShare);
    steps[unit] = std::sqrt(own * std::sqrt(own * common)) * kRangeMargin / Int8Matrix::kLargestActivation;
  }
  return steps;
}

bool spans_fit(std::span<const std::int8_t> rounded) {
  for (std::size_t start = 0; start < rounded.size(); start += Int8Matrix::kSpan) {
    int positive[2] = {}, negative[2] = {};
    for (int i = 0; i < Int8Matrix::kSpan; ++i) {
      const int weight = rounded[start + i], lane = i % Int8Matrix::kQuad / 2;
      (weight > 0 ? positive : negative)[lane] += std::abs(weight);
    }
    if (std::max({positive[0], positive[1], negative[0], negative[1]}) > Int8Matrix::kSpanLimit) return false;
  }
  return true;
}

// The smallest step that could do, before rounding.
float least_step(std::span<const float> weights) {
  float step = 0;
  for (std::size_t start = 0; start < weights.size(); start += Int8Matrix::kSpan) {
    float positive[2] = {}, negative[2] = {};
    for (int i = 0; i < Int8Matrix::kSpan; ++i) {
      const float weight = weights[start + i];
      const int lane = i % Int8Matrix::kQuad / 2;
      (weight > 0 ? positive : negative)[lane] += std::abs(weight);
      step = std::max(step, std::abs(weight) / 127);
    }
    step = std::max(step, std::max({positive[0], positive[1], negative[0], negative[1]}) / Int8Matrix::kSpanLimit);
  }
  return step;
}

// The places whose rows are added as bytes two by two, as the kernels do, and the places that share their smallest entries: in a convolution all pits look alike, for the sum of
// the smallest entries is one number a channel.
int place_of_pair(TrunkKind kind, int place) {
  constexpr int kFirstCapture = kPitTokens + kStoreTokens + 1;
  if (kind == TrunkKind::mlp) return place / 2;
  return place < kPitTokens || place >= kFirstCapture ? 0 : 1 + place - kPitTokens;
}
int place_of_zero(TrunkKind kind, int place) {
  constexpr int kFirstCapture = kPitTokens + kStoreTokens + 1;
  if (kind == TrunkKind::mlp) return place;
  return place < kPitTokens ? 0 : place >= kFirstCapture ? kFirstCapture : place;
}

// First row of each place in the table, and the end of the last.
std::array<int, kBoardTokens + 1> place_offsets() {
  std::array<int, kBoardTokens + 1> offsets{};
  int place = 0;
  for (int i = 0; i < kPitTokens; ++i) offsets[place++] = kPitOffset + i * kPitRange;
  for (int i = 0; i < kStoreTokens; ++i) offsets[place++] = kStoreOffset + i * kStoreRange;
  offsets[place++] = kQuietOffset;
  for (int i = 0; i < kCaptureTokens; ++i) offsets[place++] = kCaptureOffset + i * kCaptureRange;
  offsets[place] = kRuleOffset;
  return offsets;
}

// How one unit's column of the table becomes bytes.
struct TableColumn {
  float step = 1;      // value of one unit of the bytes
  float zero_sum = 0;  // what the smallest entries of all places add up to
  std::array<float, kBoardTokens> zero{};
};

TableColumn table_column(const FoldedNetwork& network, int unit, float activation_step) {
  const auto offsets = place_offsets();
  const auto entry = [&](int token) { return network.embedding[static_cast<std::size_t>(token) * network.width + unit]; };
  std::array<float, kBoardTokens> low, high, pair_range{};
  low.fill(INFINITY);
  high.fill(-INFINITY);
  for (int place = 0; place < kBoardTokens; ++place) {
    const int shared = place_of_zero(network.kind, place);
    for (int token = offsets[place]; token < offsets[place + 1]; ++token) {
      low[shared] = std::min(low[shared], entry(token));
      high[shared] = std::max(high[shared], entry(token));
    }
  }
  TableColumn column;
  for (int place = 0; place < kBoardTokens; ++place) {
    const int shared = place_of_zero(network.kind, place);
    column.zero[place] = low[shared];
    const bool counts = network.kind == TrunkKind::mlp || shared == place;
    if (counts) pair_range[place_of_pair(network.kind, place)] += high[shared] - low[shared];
    if (counts) column.zero_sum += low[shared];
  }
  // 254, because each of a pair may be rounded up. A step below 1/50 of the activation's gives nothing and would need more than 16 bits.
  column.step = std::max(*std::max_element(pair_range.begin(), pair_range.end()) / 254, activation_step / 50);
  return column;
}

void quantise_embedding(const FoldedNetwork& network, std::vector<float>& steps, Int8Weights& weights) {
  const int pitch = weights.layout.pitch;
  const auto offsets = place_offsets();
  weights.table.pitch = pitch;
  weights.table.rows.resize(static_cast<std::size_t>(kRuleOffset) * pitch);
  weights.table.multiplier.resize(pitch);
  weights.rule_rows.resize(static_cast<std::size_t>(kVocabulary - kRuleOffset) * pitch);
  weights.rule_bias.resize(pitch);
  weights.table_step.assign(pitch, 1.0f);
  constexpr float kMultiplierOne = 32768 >> kEmbeddingShift;  // activation = sum * multiplier / kMultiplierOne
  for (int unit = 0; unit < network.width; ++unit) {
    const TableColumn column = table_column(network, unit, steps[unit]);
    steps[unit] = std::max(steps[unit], column.step * kMultiplierOne / 32767);  // the multiplier must fit 16 bits
    weights.table.multiplier[split_index(unit)] = static_cast<std::int16_t>(std::min(std::lround(column.step / steps[unit] * kMultiplierOne), 32767L));
    weights.table_step[unit] = column.step;
    weights.rule_bias[unit] = network.input_bias[unit] + column.zero_sum;
    for (int place = 0; place < kBoardTokens; ++place) {
      for (int token = offsets[place]; token < offsets[place + 1]; ++token) {
        const float above = network.embedding[static_cast<std::size_t>(token) * network.width + unit] - column.zero[place];
        weights.table.rows[static_cast<std::size_t>(token) * pitch + unit] = static_cast<std::uint8_t>(std::lround(above / column.step));
      }
    }
    for (int token = kRuleOffset; token < kVocabulary; ++token) {
      weights.rule_rows[static_cast<std::size_t>(token - kRuleOffset) * pitch + unit] = network.embedding[static_cast<std::size_t>(token) * network.width + unit];
    }
  }
}

// Rounds one output's weights, with the inputs' steps multiplied in, into a row of the matrix; `weights` becomes what rounding left. Returns the row's step.
float set_row(Int8Matrix& matrix, int output, std::span<float> weights) {
  std::vector<std::int8_t> rounded(weights.size());
  const float row_step = quantise_row(weights, rounded);
  for (int input = 0; input < matrix.inputs; ++input) {
    matrix.at(output, input) = rounded[input];
    weights[input] -= row_step * rounded[input];
  }
  return row_step;
}

Int8Matrix quantise_layer(const FoldedNetwork& network, const TrunkLayout& layout, const FoldedNetwork::Layer& layer, std::span<const float> in_steps, std::span<const float> residual_steps,
                          std::span<const float> out_steps) {
  Int8Matrix matrix(layout.layer_inputs(), layout.pitch);
  const int taps = layout.conv() ? 3 : 1;
  std::vector<float> weights(matrix.inputs);  // entries of the padding stay zero: rounding leaves nothing of them
  for (int output = 0; output < network.width; ++output) {
    for (int tap = 0; tap < taps; ++tap) {
      for (int input = 0; input < network.width; ++input) {
        weights[tap * layout.pitch + input] = layer.weight[(static_cast<std::size_t>(output) * taps + tap) * network.width + input] * in_steps[input];
      }
    }
    matrix.scale[output] = set_row(matrix, output, weights) / out_steps[output];
    matrix.bias[output] = layer.bias[output] / out_steps[output];
    matrix.residual_scale[output] = residual_steps[output] / out_steps[output];
  }
  return matrix;
}

Int8Matrix quantise_head(const FoldedNetwork& network, const TrunkLayout& layout, std::span<const float> steps) {
  Int8Matrix matrix(layout.head_inputs(), 2 * kNetworkOutputs);
  std::vector<float> weights(matrix.inputs);
  for (int output = 0; output < kNetworkOutputs; ++output) {
    for (int feature = 0; feature < network.features(); ++feature) {
      const int pit = feature / network.width, channel = feature % network.width;
      weights[pit * layout.pitch + channel] = network.head_weight[static_cast<std::size_t>(output) * network.features() + feature] * steps[channel];
    }
    matrix.scale[output] = set_row(matrix, output, weights);
    matrix.scale[kNetworkOutputs + output] = set_row(matrix, kNetworkOutputs + output, weights);
    matrix.bias[output] = network.head_bias[output];
    std::fill(weights.begin(), weights.end(), 0.0f);
  }
  return matrix;
}

}  // namespace

float quantise_row(std::span<const float> weights, std::span<std::int8_t> rounded) {
  float step = least_step(weights);
  if (step == 0) {
    std::fill(rounded.begin(), rounded.end(), std::int8_t{0});
    return 1;
  }
  for (;; step *= 1.01f) {
    for (std::size_t i = 0; i < weights.size(); ++i) rounded[i] = static_cast<std::int8_t>(std::clamp(std::lround(weights[i] / step), -127L, 127L));
    if (spans_fit(rounded)) return step;
  }
}

Int8Weights::Int8Weights(const FoldedNetwork& network, std::span<const float> largest) : layout(network) {
  std::vector<std::vector<float>> steps;
  for (int stage = 0; stage <= layout.layers; ++stage) steps.push_back(activation_steps(largest.subspan(static_cast<std::size_t>(stage) * layout.pitch, layout.pitch), layout.width));
  quantise_embedding(network, steps[0], *this);
  for (int index = 0; index < layout.layers; ++index) {
    const bool closes_block = layout.conv() && index % 2 == 1;
    layers.push_back(quantise_layer(network, layout, network.layers[index], steps[index], steps[closes_block ? index - 1 : index], steps[index + 1]));
  }
  head = quantise_head(network, layout, steps[layout.layers]);
}

}  // namespace wari
