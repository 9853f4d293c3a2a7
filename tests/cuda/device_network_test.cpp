#include "cuda/device_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/game.h"
#include "core/random.h"
#include "core/tokens.h"
#include "tests/cuda/needs_gpu.h"

namespace wari {
namespace {

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed, float scale) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back((random_unit(random_bits(seed, i, 0, Purpose::test, 0)) - 0.5f) * 2.0f * scale);
  return numbers;
}

MlpWeights random_mlp(int width, int blocks) {
  const auto w = static_cast<std::size_t>(width);
  MlpWeights weights;
  weights.width = width;
  weights.embedding = random_numbers(kVocabulary * w, 1, 0.3f);
  weights.input_bias = random_numbers(w, 2, 0.3f);
  for (int block = 0; block < blocks; ++block) {
    weights.weight.push_back(random_numbers(w * w, 3 + static_cast<std::uint64_t>(block), 1.0f / std::sqrt(static_cast<float>(width))));
    weights.bias.push_back(random_numbers(w, 100 + static_cast<std::uint64_t>(block), 0.1f));
  }
  weights.head_weight = random_numbers(kOutputs * w, 200, 0.1f);
  weights.head_bias = random_numbers(kOutputs, 201, 0.5f);
  return weights;
}

// The network as device_network.h writes it down.
std::vector<float> plain_outputs(const MlpWeights& weights, const std::vector<Token>& tokens /* [kTokens] */) {
  const auto width = static_cast<std::size_t>(weights.width);
  std::vector<float> x = weights.input_bias;
  for (const Token token : tokens) {
    for (std::size_t i = 0; i < width; ++i) x[i] += weights.embedding[token * width + i];
  }
  for (float& value : x) value = std::max(value, 0.0f);
  for (std::size_t block = 0; block < weights.weight.size(); ++block) {
    std::vector<float> y = x;
    for (std::size_t out = 0; out < width; ++out) {
      y[out] += weights.bias[block][out];
      for (std::size_t in = 0; in < width; ++in) y[out] += weights.weight[block][out * width + in] * x[in];
      y[out] = std::max(y[out], 0.0f);
    }
    x = y;
  }
  std::vector<float> outputs = weights.head_bias;
  for (std::size_t out = 0; out < kOutputs; ++out) {
    for (std::size_t in = 0; in < width; ++in) outputs[out] += weights.head_weight[out * width + in] * x[in];
  }
  return outputs;
}

// The same from what goes to the device.
std::vector<float> folded_outputs(const FoldedMlp& folded, std::size_t rules_index, const std::vector<Token>& board /* [kBoardTokens] */) {
  const auto width = static_cast<std::size_t>(folded.width);
  std::vector<float> x(folded.rule_rows.begin() + static_cast<std::ptrdiff_t>(rules_index * width), folded.rule_rows.begin() + static_cast<std::ptrdiff_t>((rules_index + 1) * width));
  for (const Token token : board) {
    for (std::size_t i = 0; i < width; ++i) x[i] += folded.embedding[token * width + i];
  }
  for (float& value : x) value = std::max(value, 0.0f);
  for (std::size_t block = 0; block < static_cast<std::size_t>(folded.blocks); ++block) {
    std::vector<float> y(width);
    for (std::size_t out = 0; out < width; ++out) {
      y[out] = folded.bias[block * width + out];
      for (std::size_t in = 0; in < width; ++in) y[out] += folded.weight[(block * width + out) * width + in] * x[in];
      y[out] = std::max(y[out], 0.0f);
    }
    x = y;
  }
  std::vector<float> outputs = folded.head_bias;
  for (std::size_t out = 0; out < kOutputs; ++out) {
    for (std::size_t in = 0; in < width; ++in) outputs[out] += folded.head_weight[out * width + in] * x[in];
  }
  return outputs;
}

const std::vector<Rules>& two_rule_sets() {
  static const std::vector<Rules> rules{parse_rules("abapa"), parse_rules("warri")};
  return rules;
}

std::vector<Token> tokens_of(const Rules& rules, std::uint64_t number) {
  std::vector<Token> tokens(kTokens);
  Position position = start_position(rules);
  for (std::uint32_t ply = 0; ply < number % 9; ++ply) {
    const std::uint32_t legal = legal_actions(sowing_tables(), rules, position);
    int action = static_cast<int>(random_below(random_bits(7, number, ply, Purpose::test, 0), 6));
    while (((legal >> action) & 1) == 0) action = (action + 1) % 6;
    position = play(sowing_tables(), rules, position, action).position;
  }
  encode_board(sowing_tables(), rules, position, static_cast<int>(number % 5), tokens.data());
  encode_rules(rules, tokens.data() + kBoardTokens);
  return tokens;
}

TEST(DeviceNetwork, FoldedWeightsAreTheSameNetwork) {
  const MlpWeights weights = random_mlp(24, 3);
  const FoldedMlp folded = fold_mlp(weights, two_rule_sets());
  for (std::uint64_t number = 0; number < 20; ++number) {
    const std::size_t set = number % 2;
    const std::vector<Token> tokens = tokens_of(two_rule_sets()[set], number);
    const std::vector<float> expected = plain_outputs(weights, tokens), actual = folded_outputs(folded, set, {tokens.begin(), tokens.begin() + kBoardTokens});
    for (std::size_t i = 0; i < kOutputs; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4f);
  }
}

TEST(DeviceNetwork, WeightsThatDoNotFitAreRefused) {
  MlpWeights weights = random_mlp(24, 2);
  weights.bias[1].pop_back();
  EXPECT_THROW(fold_mlp(weights, two_rule_sets()), Error);
  weights = random_mlp(24, 2);
  weights.bias.pop_back();
  EXPECT_THROW(fold_mlp(weights, two_rule_sets()), Error);
  EXPECT_THROW(fold_mlp(random_mlp(20, 1), two_rule_sets()), Error);
  if (devices().empty()) {
    EXPECT_THROW(make_device_mlp_evaluator(random_mlp(24, 1), two_rule_sets(), 4), Error);
  }
}

TEST(GpuNetwork, AnswersAsThePlainOneAndRowsDoNotTouch) {
  WARI_NEEDS_GPU();
  const MlpWeights weights = random_mlp(256, 3);
  for (const int rows : {1, 31, 1000}) {
    std::vector<Token> board;
    std::vector<std::uint8_t> rules_index, active;
    for (int row = 0; row < rows; ++row) {
      const auto number = static_cast<std::uint64_t>(row);
      const std::vector<Token> tokens = tokens_of(two_rule_sets()[number % 2], number);
      board.insert(board.end(), tokens.begin(), tokens.begin() + kBoardTokens);
      rules_index.push_back(static_cast<std::uint8_t>(number % 2));
      active.push_back(1);
    }
    const auto evaluator = make_device_mlp_evaluator(weights, two_rule_sets(), rows);
    const std::vector<float> outputs = evaluate_on_device(*evaluator, board, rules_index, active);
    for (int row = 0; row < rows; ++row) {
      const auto number = static_cast<std::uint64_t>(row);
      const std::vector<float> expected = plain_outputs(weights, tokens_of(two_rule_sets()[number % 2], number));
      for (std::size_t i = 0; i < kOutputs; ++i) ASSERT_NEAR(outputs[number * kOutputs + i], expected[i], 0.05f) << rows << " rows, row " << row;
    }
    // Padding: every second row idle, its tokens nonsense.
    for (std::size_t row = 1; row < active.size(); row += 2) {
      active[row] = 0;
      std::fill_n(board.begin() + static_cast<std::ptrdiff_t>(row * kBoardTokens), kBoardTokens, Token{0xffff});
    }
    const std::vector<float> padded = evaluate_on_device(*evaluator, board, rules_index, active);
    for (std::size_t row = 0; row < active.size(); row += 2) {
      for (std::size_t i = 0; i < kOutputs; ++i) ASSERT_EQ(padded[row * kOutputs + i], outputs[row * kOutputs + i]);
    }
  }
}

}  // namespace
}  // namespace wari
