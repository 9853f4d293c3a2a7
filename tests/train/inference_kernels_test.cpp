#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/train/inference_networks.h"
#include "train/inference/quantise.h"

namespace wari {
namespace {

// A matrix whose every span is as full as the packer may make it.
Int8Matrix full_matrix(int inputs, int outputs, TestNumbers& numbers, bool extreme) {
  Int8Matrix matrix(inputs, outputs);
  std::vector<std::int8_t> rounded(inputs);
  for (int output = 0; output < matrix.outputs; ++output) {
    std::vector<float> weights(inputs);
    for (int input = 0; input < inputs; ++input) weights[input] = extreme ? (output % 2 ? 1.0f : -1.0f) : numbers.normal(1);
    quantise_row(weights, rounded);
    for (int input = 0; input < inputs; ++input) matrix.at(output, input) = rounded[input];
    matrix.scale[output] = numbers.uniform(0.0001f, 0.01f);
    matrix.bias[output] = numbers.normal(20);
    matrix.residual_scale[output] = numbers.uniform(0, 2);
  }
  return matrix;
}

TEST(Int8Kernels, LayersGiveTheBitsOfThePlainLoops) {
  TestNumbers numbers(1);
  for (const int pitch : {32, 64, 96, 256}) {
    for (const bool extreme : {false, true}) {
      for (const int groups : {1, 2, 5}) {
        const Int8Matrix matrix = full_matrix(pitch, pitch, numbers, extreme);
        const GroupPlan plan{groups, 1, std::ptrdiff_t{kGroupRows} * pitch, pitch};
        AlignedVector<std::uint8_t> in(static_cast<std::size_t>(groups) * kGroupRows * pitch), expected(in.size()), actual(in.size());
        for (std::uint8_t& activation : in) activation = static_cast<std::uint8_t>(extreme ? 127 : numbers.below(128));
        for (const bool residual : {false, true}) {
          plain::int8_layer(matrix, plan, in.data(), residual ? in.data() : nullptr, expected.data());
          fast::int8_layer(matrix, plan, in.data(), residual ? in.data() : nullptr, actual.data());
          EXPECT_EQ(expected, actual) << pitch << " units, " << groups << " groups, residual " << residual;
          EXPECT_NE(std::count_if(actual.begin(), actual.end(), [](int value) { return value > 0; }), 0);
        }
      }
    }
  }
}

TEST(Int8Kernels, OverlappingRowsOfAConvolutionGiveTheBitsOfThePlainLoops) {
  TestNumbers numbers(2);
  const int pitch = 64, slots = kPitTokens + 2, rows = 3;
  const Int8Matrix matrix = full_matrix(3 * pitch, pitch, numbers, false);
  const GroupPlan plan{rows * 2, 2, std::ptrdiff_t{slots} * pitch, pitch};
  AlignedVector<std::uint8_t> in(static_cast<std::size_t>(rows) * slots * pitch), expected(in.size()), actual(in.size());
  for (std::uint8_t& activation : in) activation = static_cast<std::uint8_t>(numbers.below(128));
  plain::int8_layer(matrix, plan, in.data(), nullptr, expected.data() + pitch);
  fast::int8_layer(matrix, plan, in.data(), nullptr, actual.data() + pitch);
  EXPECT_EQ(expected, actual);
  // Neither may touch the halo, which is copied afterwards.
  for (int row = 0; row < rows; ++row) {
    for (int channel = 0; channel < pitch; ++channel) EXPECT_EQ(actual[row * slots * pitch + channel], 0);
  }
}

TEST(Int8Kernels, HeadsGiveTheBitsOfThePlainLoops) {
  TestNumbers numbers(3);
  for (const int inputs : {32, 256, kPitTokens * 64}) {
    const Int8Matrix matrix = full_matrix(inputs, 2 * kNetworkOutputs, numbers, false);
    const GroupPlan plan{3, 1, std::ptrdiff_t{kGroupRows} * inputs, inputs};
    AlignedVector<std::uint8_t> in(static_cast<std::size_t>(3) * kGroupRows * inputs);
    for (std::uint8_t& activation : in) activation = static_cast<std::uint8_t>(numbers.below(128));
    std::vector<float> expected(3 * kGroupRows * kNetworkOutputs), actual(expected.size());
    plain::int8_head(matrix, plan, in.data(), expected.data());
    fast::int8_head(matrix, plan, in.data(), actual.data());
    EXPECT_EQ(expected, actual);
  }
}

TEST(Int8Kernels, SumsAreExactDotProducts) {
  TestNumbers numbers(4);
  Int8Matrix matrix = full_matrix(64, 2 * kNetworkOutputs, numbers, false);
  std::fill_n(matrix.scale.begin(), kNetworkOutputs, 1.0f);
  std::fill_n(matrix.scale.begin() + kNetworkOutputs, kNetworkOutputs, 1.0f / 256);
  std::fill(matrix.bias.begin(), matrix.bias.end(), 0.0f);
  AlignedVector<std::uint8_t> in(static_cast<std::size_t>(kGroupRows) * 64);
  for (std::uint8_t& activation : in) activation = static_cast<std::uint8_t>(numbers.below(128));
  std::vector<float> outputs(kGroupRows * kNetworkOutputs);
  fast::int8_head(matrix, {1, 1, 0, 64}, in.data(), outputs.data());
  for (int row = 0; row < kGroupRows; ++row) {
    for (int output = 0; output < kNetworkOutputs; ++output) {
      int coarse = 0, fine = 0;
      for (int input = 0; input < 64; ++input) {
        coarse += in[row * 64 + input] * matrix.at(output, input);
        fine += in[row * 64 + input] * matrix.at(kNetworkOutputs + output, input);
      }
      EXPECT_EQ(outputs[row * kNetworkOutputs + output], static_cast<float>(coarse) + static_cast<float>(fine) / 256);
    }
  }
}

TEST(Int8Kernels, FirstLayersGiveTheBitsOfThePlainLoops) {
  TestNumbers numbers(5);
  const std::vector<Token> tokens = mixed_positions(50, 5);
  for (const int pitch : {32, 64, 96, 128, 224, 256}) {
    ByteEmbedding table;
    table.pitch = pitch;
    table.rows.resize(static_cast<std::size_t>(kRuleOffset) * pitch);
    for (std::uint8_t& value : table.rows) value = static_cast<std::uint8_t>(numbers.below(128));
    AlignedVector<std::int16_t> rule_row(pitch);
    for (int unit = 0; unit < pitch; ++unit) {
      table.multiplier.push_back(static_cast<std::int16_t>(numbers.below(32768)));
      rule_row[unit] = static_cast<std::int16_t>(unit % 7 ? static_cast<int>(numbers.below(4000)) - 3500 : static_cast<int>(numbers.below(64001)) - 32000);
    }
    AlignedVector<std::uint8_t> expected(static_cast<std::size_t>(kPitTokens) * pitch), actual(expected.size());
    for (std::size_t row = 0; row < tokens.size(); row += kTokens) {
      plain::embed_mlp(table, rule_row.data(), &tokens[row], expected.data());
      fast::embed_mlp(table, rule_row.data(), &tokens[row], actual.data());
      ASSERT_EQ(expected, actual) << pitch;
      plain::embed_conv(table, rule_row.data(), &tokens[row], expected.data());
      fast::embed_conv(table, rule_row.data(), &tokens[row], actual.data());
      ASSERT_EQ(expected, actual) << pitch;
    }
  }
}

TEST(Quantise, RowsKeepWithinTheLimitsOfTheKernels) {
  TestNumbers numbers(6);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> weights(32 * (1 + numbers.below(8)));
    const bool one_sided = trial % 3 == 0;
    for (float& weight : weights) weight = one_sided ? numbers.uniform(0.5f, 1) : numbers.normal(trial % 5 == 0 && numbers.below(20) == 0 ? 10.0f : 1.0f);
    std::vector<std::int8_t> rounded(weights.size());
    const float step = quantise_row(weights, rounded);
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_LE(std::abs(weights[i] - step * rounded[i]), step * 0.5001f);
    for (std::size_t start = 0; start < weights.size(); start += 32) {
      for (const int lane : {0, 1}) {
        int most = 0, least = 0;
        for (int i = 0; i < 32; ++i) {
          if (i % 4 / 2 == lane) (rounded[start + i] > 0 ? most : least) += 127 * rounded[start + i];
        }
        EXPECT_LE(most, 32767);
        EXPECT_GE(least, -32768);
      }
    }
  }
}

TEST(Quantise, ARowOfZerosStaysZero) {
  std::vector<float> weights(64, 0.0f);
  std::vector<std::int8_t> rounded(64, 1);
  EXPECT_GT(quantise_row(weights, rounded), 0);
  EXPECT_EQ(std::count(rounded.begin(), rounded.end(), 0), 64);
}

}  // namespace
}  // namespace wari
