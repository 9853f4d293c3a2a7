#include <string>

#include "core/error.h"
#include "core/tokens.h"
#include "cuda/device_network.h"

namespace wari {
namespace {

void expect_size(const std::vector<float>& values, std::size_t wanted, const char* what) {
  if (values.size() != wanted) {
    throw Error("the network's " + std::string(what) + " has " + std::to_string(values.size()) + " numbers instead of " + std::to_string(wanted) + ": the checkpoint is damaged or of another version");
  }
}

// Both kinds: sizes of everything, `inputs` of a layer and `features` of the head in units of the width.
void check_weights(const LayeredWeights& weights, std::size_t inputs, std::size_t features) {
  const auto width = static_cast<std::size_t>(weights.width);
  if (weights.width <= 0 || weights.width % 8 != 0) throw Error("a network of width " + std::to_string(weights.width) + " cannot be evaluated on a GPU: use a multiple of 8");
  expect_size(weights.embedding, kVocabulary * width, "first layer");
  expect_size(weights.input_bias, width, "first bias");
  expect_size(weights.head_weight, kOutputs * features * width, "head");
  expect_size(weights.head_bias, kOutputs, "head's bias");
  if (weights.bias.size() != weights.weight.size()) throw Error("the network has another number of matrices than of biases: the checkpoint is damaged or of another version");
  for (const std::vector<float>& layer : weights.weight) expect_size(layer, width * inputs * width, "block");
  for (const std::vector<float>& bias : weights.bias) expect_size(bias, width, "block's bias");
}

// A rule set's tokens and the input's bias in one row of sums: [rules, width].
std::vector<float> rule_rows(const LayeredWeights& weights, std::span<const Rules> rules) {
  const auto width = static_cast<std::size_t>(weights.width);
  std::vector<float> rows;
  for (const Rules& set : rules) {
    Token tokens[kRuleTokens];
    encode_rules(set, tokens);
    for (std::size_t i = 0; i < width; ++i) {
      float sum = weights.input_bias[i];
      for (const Token token : tokens) sum += weights.embedding[token * width + i];
      rows.push_back(sum);
    }
  }
  return rows;
}

// What both kinds have as it is; the layers' matrices are left to the caller.
FoldedWeights folded_but_for_matrices(const LayeredWeights& weights, std::span<const Rules> rules) {
  FoldedWeights folded;
  folded.width = weights.width;
  folded.layers = static_cast<int>(weights.weight.size());
  folded.embedding = weights.embedding;
  folded.rule_rows = rule_rows(weights, rules);
  for (const std::vector<float>& bias : weights.bias) folded.bias.insert(folded.bias.end(), bias.begin(), bias.end());
  folded.head_weight = weights.head_weight;
  folded.head_bias = weights.head_bias;
  return folded;
}

}  // namespace

FoldedWeights fold_mlp(const LayeredWeights& weights, std::span<const Rules> rules) {
  check_weights(weights, 1, 1);
  FoldedWeights folded = folded_but_for_matrices(weights, rules);
  const auto width = static_cast<std::size_t>(weights.width);
  for (const std::vector<float>& layer : weights.weight) {
    for (std::size_t out = 0; out < width; ++out) {
      for (std::size_t in = 0; in < width; ++in) folded.weight.push_back(layer[out * width + in] + (out == in ? 1.0f : 0.0f));
    }
  }
  return folded;
}

FoldedWeights fold_conv(const LayeredWeights& weights, std::span<const Rules> rules) {
  check_weights(weights, kTaps, kPitTokens);
  if (weights.weight.size() % 2 != 0) throw Error("the network has half a block too many: the checkpoint is damaged or of another version");
  FoldedWeights folded = folded_but_for_matrices(weights, rules);
  for (const std::vector<float>& layer : weights.weight) folded.weight.insert(folded.weight.end(), layer.begin(), layer.end());
  return folded;
}

std::size_t device_weight_bytes(const DeviceNetworkShape& shape) {
  const auto width = static_cast<std::size_t>(shape.width), layers = static_cast<std::size_t>(shape.layers);
  const std::size_t inputs = shape.conv ? kTaps * width : width, features = shape.conv ? kPitTokens * width : width;
  const std::size_t element = shape.precision == DevicePrecision::bfloat16 ? 2 : 4;
  const std::size_t elements = kVocabulary * width + layers * (width * inputs + width) + kOutputs * features;
  return elements * element + (static_cast<std::size_t>(shape.rule_sets) * width + kOutputs) * sizeof(float);
}

std::size_t device_scratch_bytes(const DeviceNetworkShape& shape) {
  const std::size_t element = shape.precision == DevicePrecision::bfloat16 ? 2 : 4;
  const std::size_t activations = shape.conv ? (2 + kTaps) * conv_activations(shape.rows, shape.width) : 2 * mlp_activations(shape.rows, shape.width);
  return activations * element + kWorkspaceBytes;
}

}  // namespace wari
