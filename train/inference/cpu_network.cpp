#include "train/inference/cpu_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "train/inference/float_network.h"
#include "train/inference/int8_network.h"

namespace wari {
namespace {

void check_array(const std::vector<float>& values, std::size_t size, const char* name) {
  if (values.size() != size) throw Error(fmt::format("network array has {} numbers instead of {}: '{}': export the network again", values.size(), size, name));
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
    throw Error(fmt::format("network array holds numbers that are not finite: '{}': use an earlier checkpoint", name));
  }
}

void check_network(const FoldedNetwork& network) {
  if (network.width < 1 || network.blocks < 0) throw Error(fmt::format("network of impossible size: width {}, {} blocks", network.width, network.blocks));
  const std::size_t width = network.width;
  check_array(network.embedding, kVocabulary * width, "embedding");
  check_array(network.input_bias, width, "input_bias");
  if (static_cast<int>(network.layers.size()) != network.layer_count()) {
    throw Error(fmt::format("network has {} layers instead of {}: export the network again", network.layers.size(), network.layer_count()));
  }
  for (const FoldedNetwork::Layer& layer : network.layers) {
    check_array(layer.weight, width * network.layer_inputs(), "layer.weight");
    check_array(layer.bias, width, "layer.bias");
  }
  check_array(network.head_weight, static_cast<std::size_t>(kNetworkOutputs) * network.features(), "head_weight");
  check_array(network.head_bias, kNetworkOutputs, "head_bias");
}

using Policy = std::array<float, kPitTokens / 2>;

// Softmax of the mover's pits that hold seeds; all zero if none does.
Policy pit_policy(const Token* tokens, const float* outputs) {
  Policy policy{};
  const auto holds_seeds = [&](int pit) { return tokens[pit] != kPitOffset + pit * kPitRange; };
  float largest = -INFINITY, sum = 0;
  for (int pit = 0; pit < static_cast<int>(policy.size()); ++pit) {
    if (holds_seeds(pit)) largest = std::max(largest, outputs[pit]);
  }
  for (int pit = 0; pit < static_cast<int>(policy.size()); ++pit) {
    if (holds_seeds(pit)) sum += policy[pit] = std::exp(outputs[pit] - largest);
  }
  for (float& probability : policy) probability = sum > 0 ? probability / sum : 0;
  return policy;
}

// Win minus loss of the softmax of win, draw, loss.
float value_of(const float* outputs) {
  const float* logits = outputs + kPitTokens;
  const float largest = std::max({logits[0], logits[1], logits[2]});
  const float win = std::exp(logits[0] - largest), draw = std::exp(logits[1] - largest), loss = std::exp(logits[2] - largest);
  return (win - loss) / (win + draw + loss);
}

int row_count(std::span<const Token> tokens) {
  if (tokens.size() % kTokens != 0) throw Error(fmt::format("{} tokens are not a whole number of positions of {}", tokens.size(), kTokens));
  return static_cast<int>(tokens.size() / kTokens);
}

std::vector<float> outputs_of(InferenceEngine& engine, std::span<const Token> tokens) {
  std::vector<float> outputs(static_cast<std::size_t>(row_count(tokens)) * kNetworkOutputs);
  engine.evaluate(tokens.data(), row_count(tokens), outputs.data());
  return outputs;
}

std::unique_ptr<InferenceEngine> make_int8(const FoldedNetwork& network, FloatNetwork& reference, std::span<const Token> calibration) {
  const std::vector<float> largest = reference.largest_activations(calibration.data(), row_count(calibration));
  return std::make_unique<Int8Network>(std::make_shared<const Int8Weights>(network, largest));
}

}  // namespace

CpuNetwork::CpuNetwork(const FoldedNetwork& network, Precision precision, std::span<const Token> calibration) : precision_(precision) {
  check_network(network);
  if (precision == Precision::int8 && calibration.empty()) throw Error("8-bit inference needs calibration positions: none given: pass some, or use float32");
  auto reference = std::make_unique<FloatNetwork>(std::make_shared<const FloatWeights>(network));
  if (precision != Precision::float32 && !calibration.empty()) {
    engine_ = make_int8(network, *reference, calibration);
    precision_ = Precision::int8;
    if (precision == Precision::int8) return;
    if (compare_outputs(calibration, outputs_of(*reference, calibration), outputs_of(*engine_, calibration)).acceptable()) return;
  }
  engine_ = std::move(reference);
  precision_ = Precision::float32;
}

InferenceError compare_outputs(std::span<const Token> tokens, std::span<const float> expected, std::span<const float> actual) {
  InferenceError error;
  error.positions = row_count(tokens);
  for (int row = 0; row < error.positions; ++row) {
    const float* a = expected.data() + static_cast<std::ptrdiff_t>(row) * kNetworkOutputs;
    const float* b = actual.data() + static_cast<std::ptrdiff_t>(row) * kNetworkOutputs;
    const Policy policy_a = pit_policy(tokens.data() + static_cast<std::ptrdiff_t>(row) * kTokens, a), policy_b = pit_policy(tokens.data() + static_cast<std::ptrdiff_t>(row) * kTokens, b);
    double policy = 0;
    for (std::size_t pit = 0; pit < policy_a.size(); ++pit) policy += std::abs(policy_a[pit] - policy_b[pit]) / 2;
    const double value = std::abs(value_of(a) - value_of(b)), margin = std::abs(a[kNetworkOutputs - 1] - b[kNetworkOutputs - 1]);
    error.policy_mean += policy;
    error.policy_max = std::max(error.policy_max, policy);
    error.value_mean += value;
    error.value_max = std::max(error.value_max, value);
    error.margin_mean += margin;
    error.margin_max = std::max(error.margin_max, margin);
    error.same_best += std::max_element(policy_a.begin(), policy_a.end()) - policy_a.begin() == std::max_element(policy_b.begin(), policy_b.end()) - policy_b.begin();
  }
  for (double* mean : {&error.policy_mean, &error.value_mean, &error.margin_mean, &error.same_best}) *mean /= std::max(error.positions, 1);
  return error;
}

InferenceError int8_error(const FoldedNetwork& network, std::span<const Token> tokens) {
  check_network(network);
  FloatNetwork reference(std::make_shared<const FloatWeights>(network));
  const std::size_t calibration_rows = (row_count(tokens) + 1) / 2;
  const auto integers = make_int8(network, reference, tokens.first(calibration_rows * kTokens));
  return compare_outputs(tokens, outputs_of(reference, tokens), outputs_of(*integers, tokens));
}

}  // namespace wari
