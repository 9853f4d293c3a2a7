#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "core/error.h"
#include "tests/train/inference_networks.h"
#include "train/inference/cpu_network.h"

namespace wari {
namespace {

std::vector<float> evaluate(CpuNetwork& network, const std::vector<Token>& tokens) {
  std::vector<float> outputs(tokens.size() / kTokens * kNetworkOutputs);
  network.evaluate(tokens.data(), static_cast<int>(tokens.size() / kTokens), outputs.data());
  return outputs;
}

struct Shape {
  TrunkKind kind;
  int width, blocks;
};
const Shape kShapes[] = {{TrunkKind::mlp, 64, 2}, {TrunkKind::mlp, 40, 1}, {TrunkKind::mlp, 8, 0}, {TrunkKind::mlp, 256, 3}, {TrunkKind::conv, 64, 4}, {TrunkKind::conv, 24, 1}, {TrunkKind::conv, 32, 0}};

TEST(CpuNetwork, Float32AgreesWithTheDefinition) {
  const std::vector<Token> tokens = mixed_positions(50, 1);
  for (const Shape& shape : kShapes) {
    const FoldedNetwork network = random_network(shape.kind, shape.width, shape.blocks, 2);
    CpuNetwork fast(network, Precision::float32, {});
    const std::vector<float> outputs = evaluate(fast, tokens);
    for (std::size_t row = 0; row < tokens.size() / kTokens; ++row) {
      const std::vector<double> expected = reference_outputs(network, &tokens[row * kTokens]);
      for (int i = 0; i < kNetworkOutputs; ++i) ASSERT_NEAR(outputs[row * kNetworkOutputs + i], expected[i], 1e-4) << "width " << shape.width << " row " << row << " output " << i;
    }
  }
}

TEST(CpuNetwork, Int8StaysNearFloat32) {
  const std::vector<Token> tokens = mixed_positions(2000, 3);
  for (const Shape& shape : kShapes) {
    if (shape.width < 24) continue;
    const InferenceError error = int8_error(random_network(shape.kind, shape.width, shape.blocks, 4), tokens);
    EXPECT_EQ(error.positions, 2000);
    EXPECT_LT(error.policy_mean, 0.02) << shape.width;
    EXPECT_LT(error.policy_max, 0.25) << shape.width;
    EXPECT_LT(error.value_mean, 0.03) << shape.width;
    EXPECT_LT(error.value_max, 0.3) << shape.width;
    EXPECT_GT(error.policy_mean, 0) << "the comparison compares nothing";
    EXPECT_GT(error.same_best, 0.95) << shape.width;
  }
}

TEST(CpuNetwork, ARowDependsOnNothingButItself) {
  const std::vector<Token> tokens = mixed_positions(131, 5);
  for (const Shape& shape : kShapes) {
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      CpuNetwork network(random_network(shape.kind, shape.width, shape.blocks, 6), precision, tokens);
      const std::vector<float> together = evaluate(network, tokens);
      float alone[kNetworkOutputs];
      for (std::size_t row = 0; row < tokens.size() / kTokens; row += 3) {
        network.evaluate(&tokens[row * kTokens], 1, alone);
        ASSERT_EQ(std::memcmp(alone, &together[row * kNetworkOutputs], sizeof alone), 0) << "width " << shape.width << " row " << row;
      }
    }
  }
}

TEST(CpuNetwork, RowsBeyondTheBatchAreNotWritten) {
  const std::vector<Token> tokens = mixed_positions(7, 8);
  for (const TrunkKind kind : {TrunkKind::mlp, TrunkKind::conv}) {
    CpuNetwork network(random_network(kind, 32, 1, 6), Precision::int8, tokens);
    std::vector<float> outputs(8 * kNetworkOutputs, -77.0f);
    network.evaluate(tokens.data(), 7, outputs.data());
    EXPECT_NE(outputs[7 * kNetworkOutputs - 1], -77.0f);
    for (int i = 0; i < kNetworkOutputs; ++i) EXPECT_EQ(outputs[7 * kNetworkOutputs + i], -77.0f);
    network.evaluate(tokens.data(), 0, outputs.data());
  }
}

TEST(CpuNetwork, PaddingOfZeroTokensDisturbsNoOtherRow) {
  const std::vector<Token> tokens = mixed_positions(60, 19);
  std::vector<Token> padded = tokens;
  for (std::size_t row = 0; row < 60; row += 2) std::fill_n(padded.begin() + static_cast<std::ptrdiff_t>(row * kTokens), kTokens, Token{0});
  for (const TrunkKind kind : {TrunkKind::mlp, TrunkKind::conv}) {
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      CpuNetwork network(random_network(kind, 32, 1, 20), precision, tokens);
      const std::vector<float> expected = evaluate(network, tokens), actual = evaluate(network, padded);
      for (std::size_t row = 1; row < 60; row += 2) EXPECT_EQ(std::memcmp(&expected[row * kNetworkOutputs], &actual[row * kNetworkOutputs], kNetworkOutputs * sizeof(float)), 0);
    }
  }
}

TEST(CpuNetwork, ClonesAnswerAlikeAndOutliveTheOriginal) {
  const std::vector<Token> tokens = mixed_positions(20, 9);
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    std::optional<CpuNetwork> original(std::in_place, random_network(TrunkKind::mlp, 64, 2, 10), precision, tokens);
    CpuNetwork clone = original->clone();
    const std::vector<float> expected = evaluate(*original, tokens);
    original.reset();
    EXPECT_EQ(evaluate(clone, tokens), expected);
    EXPECT_EQ(clone.precision(), precision);
  }
}

TEST(CpuNetwork, AutoTakesIntegersWhereTheyAreAccurateOnly) {
  const std::vector<Token> tokens = mixed_positions(500, 11);
  FoldedNetwork network = random_network(TrunkKind::mlp, 64, 2, 12);
  EXPECT_EQ(CpuNetwork(network, Precision::auto_, tokens).precision(), Precision::int8);
  EXPECT_EQ(CpuNetwork(network, Precision::auto_, {}).precision(), Precision::float32);
  // Unit 0 is always 1 and its weight drowns all others of every layer's rows, whose steps it sets; the bias takes it away again.
  for (int token = 0; token < kVocabulary; ++token) network.embedding[static_cast<std::size_t>(token) * network.width] = 0;
  network.input_bias[0] = 1;
  for (FoldedNetwork::Layer& layer : network.layers) {
    std::fill_n(layer.weight.begin(), network.width, 0.0f);
    layer.bias[0] = 0;
    for (int output = 1; output < network.width; ++output) {
      layer.weight[static_cast<std::size_t>(output) * network.width] = 1000;
      layer.bias[output] -= 1000;
    }
  }
  EXPECT_EQ(CpuNetwork(network, Precision::auto_, tokens).precision(), Precision::float32);
}

TEST(CpuNetwork, RefusesArraysOfTheWrongSizeAndNumbersThatAreNone) {
  const FoldedNetwork good = random_network(TrunkKind::conv, 32, 1, 13);
  const std::vector<Token> tokens = mixed_positions(10, 14);
  EXPECT_NO_THROW(CpuNetwork(good, Precision::int8, tokens));
  FoldedNetwork bad = good;
  bad.layers[1].weight.pop_back();
  EXPECT_THROW(CpuNetwork(bad, Precision::float32, tokens), Error);
  bad = good;
  bad.layers.pop_back();
  EXPECT_THROW(CpuNetwork(bad, Precision::float32, tokens), Error);
  bad = good;
  bad.head_weight[5] = NAN;
  EXPECT_THROW(CpuNetwork(bad, Precision::int8, tokens), Error);
  EXPECT_THROW(CpuNetwork(good, Precision::int8, {}), Error);
  EXPECT_THROW(CpuNetwork(good, Precision::int8, std::span(tokens).first(kTokens + 1)), Error);
}

TEST(CpuNetwork, ADeadFirstLayerIsNoTrouble) {
  FoldedNetwork network = random_network(TrunkKind::mlp, 32, 1, 15);
  std::fill(network.input_bias.begin(), network.input_bias.end(), -100.0f);
  const std::vector<Token> tokens = mixed_positions(100, 16);
  const InferenceError error = int8_error(network, tokens);
  EXPECT_LT(error.policy_max, 0.05);
  EXPECT_LT(error.value_max, 0.05);
}

TEST(Calibration, IsReproducibleAndValid) {
  const std::vector<Token> tokens = mixed_positions(300, 17);
  EXPECT_EQ(tokens.size(), 300u * kTokens);
  EXPECT_EQ(tokens, mixed_positions(300, 17));
  EXPECT_NE(tokens, mixed_positions(300, 18));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ASSERT_LT(tokens[i], kVocabulary);
    ASSERT_EQ(tokens[i] >= kRuleOffset, i % kTokens >= kBoardTokens);
  }
}

}  // namespace
}  // namespace wari
