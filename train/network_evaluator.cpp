#include "train/network_evaluator.h"

#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "train/inference/calibration.h"
#include "train/inference/cpu_network.h"

namespace wari {

namespace {

constexpr int kCalibrationPositions = 1024;
constexpr std::uint64_t kCalibrationSeed = 1;

Precision parse_precision(const std::string& text) {
  if (text == "auto") return Precision::auto_;
  if (text == "float32") return Precision::float32;
  if (text == "int8") return Precision::int8;
  throw Error("unknown precision '" + text + "': of a network on the CPU: auto, float32 or int8");
}

class NetworkEvaluator : public Evaluator {
 public:
  explicit NetworkEvaluator(CpuNetwork network) : network_(std::move(network)) {}

  bool needs_tokens() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    const auto rows = static_cast<std::size_t>(batch.rows);
    rule_tokens_.resize(batch.rules.size() * kRuleTokens);
    for (std::size_t r = 0; r < batch.rules.size(); ++r) encode_rules(batch.rules[r], rule_tokens_.data() + r * kRuleTokens);
    tokens_.resize(rows * kTokens);
    for (std::size_t row = 0; row < rows; ++row) {
      Token* to = tokens_.data() + row * kTokens;
      const bool active = batch.active == nullptr || batch.active[row] != 0;
      const std::size_t rules = active ? batch.rules_index[row] : 0;  // padding: any tokens in range, under rules that other rows have too
      if (active) {
        std::memcpy(to, batch.board_tokens + row * kBoardTokens, kBoardTokens * sizeof(Token));
      } else {
        std::memset(to, 0, kBoardTokens * sizeof(Token));
      }
      std::memcpy(to + kBoardTokens, rule_tokens_.data() + rules * kRuleTokens, kRuleTokens * sizeof(Token));
    }
    network_.evaluate(tokens_.data(), batch.rows, outputs);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<NetworkEvaluator>(network_.clone()); }

 private:
  CpuNetwork network_;
  std::vector<Token> rule_tokens_;  // [rules, kRuleTokens]
  std::vector<Token> tokens_;       // [rows, kTokens]
};

}  // namespace

std::unique_ptr<Evaluator> make_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, const std::string& precision) {
  const std::vector<Token> calibration = calibration_positions(rules, kCalibrationPositions, kCalibrationSeed);
  return std::make_unique<NetworkEvaluator>(CpuNetwork(network, parse_precision(precision), calibration));
}

DevicePrecision device_precision(const std::string& precision) {
  if (precision == "auto") return DevicePrecision::bfloat16;
  if (precision == "float32") return DevicePrecision::float32;
  throw Error("a GPU has no precision '" + precision + "' for networks: precision: give auto (bfloat16) or float32, or device=cpu");
}

std::unique_ptr<Evaluator> make_device_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, int rows, const std::string& precision) {
  LayeredWeights weights;
  weights.width = network.width;
  weights.embedding = network.embedding;
  weights.input_bias = network.input_bias;
  for (const FoldedNetwork::Layer& layer : network.layers) {
    weights.weight.push_back(layer.weight);
    weights.bias.push_back(layer.bias);
  }
  weights.head_weight = network.head_weight;
  weights.head_bias = network.head_bias;
  return (network.kind == TrunkKind::conv ? make_device_conv_evaluator : make_device_mlp_evaluator)(weights, rules, rows, device_precision(precision));
}

}  // namespace wari
