#include "cuda/device_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>

#include "core/error.h"
#include "core/game.h"
#include "core/random.h"
#include "core/tokens.h"
#include "cuda/self_test.h"
#include "cuda/selfplay_engine.h"
#include "cuda/switches.h"
#include "tests/cuda/needs_gpu.h"

namespace wari {
namespace {

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed, float scale) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back((random_unit(random_bits(seed, i, 0, Purpose::test, 0)) - 0.5f) * 2.0f * scale);
  return numbers;
}

// `inputs` of a layer and `features` of the head in units of the width.
LayeredWeights random_weights(int width, int layers, std::size_t inputs, std::size_t features) {
  const auto w = static_cast<std::size_t>(width);
  LayeredWeights weights;
  weights.width = width;
  weights.embedding = random_numbers(kVocabulary * w, 1, 0.3f);
  weights.input_bias = random_numbers(w, 2, 0.3f);
  for (int layer = 0; layer < layers; ++layer) {
    weights.weight.push_back(random_numbers(w * inputs * w, 3 + static_cast<std::uint64_t>(layer), 1.0f / std::sqrt(static_cast<float>(inputs * w))));
    weights.bias.push_back(random_numbers(w, 100 + static_cast<std::uint64_t>(layer), 0.1f));
  }
  weights.head_weight = random_numbers(kOutputs * features * w, 200, 0.1f);
  weights.head_bias = random_numbers(kOutputs, 201, 0.5f);
  return weights;
}

LayeredWeights random_mlp(int width, int blocks) { return random_weights(width, blocks, 1, 1); }
LayeredWeights random_conv(int width, int blocks) { return random_weights(width, 2 * blocks, 3, 12); }

// The network as device_network.h writes it down.
std::vector<float> plain_mlp(const LayeredWeights& weights, const std::vector<Token>& tokens /* [kTokens] */) {
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

using Pits = std::vector<std::vector<float>>;  // [12][width]

// relu(b + weight of every pit and its two neighbours in the circle + residual).
Pits convolved(const Pits& x, const float* weight /* [width out, 3, width in] */, const float* bias, const Pits* residual) {
  const std::size_t width = x.front().size();
  Pits y(12, std::vector<float>(width));
  for (std::size_t pit = 0; pit < 12; ++pit) {
    const std::vector<float>* const around[] = {&x[(pit + 11) % 12], &x[pit], &x[(pit + 1) % 12]};
    for (std::size_t out = 0; out < width; ++out) {
      float sum = bias[out] + (residual == nullptr ? 0.0f : (*residual)[pit][out]);
      for (std::size_t tap = 0; tap < 3; ++tap) {
        for (std::size_t in = 0; in < width; ++in) sum += weight[(out * 3 + tap) * width + in] * (*around[tap])[in];
      }
      y[pit][out] = std::max(sum, 0.0f);
    }
  }
  return y;
}

std::vector<float> plain_conv(const LayeredWeights& weights, const std::vector<Token>& tokens /* [kTokens] */) {
  const auto width = static_cast<std::size_t>(weights.width);
  Pits x(12, weights.input_bias);
  for (std::size_t pit = 0; pit < 12; ++pit) {
    for (std::size_t place = 0; place < kTokens; ++place) {
      const bool of_a_pit = place < 12 || (place >= 15 && place < 27);
      const bool own = place == pit || place == 15 + pit;
      for (std::size_t i = 0; i < width && (own || !of_a_pit); ++i) x[pit][i] += weights.embedding[tokens[place] * width + i];
    }
    for (float& value : x[pit]) value = std::max(value, 0.0f);
  }
  for (std::size_t layer = 0; layer < weights.weight.size(); layer += 2) {
    const Pits y = convolved(x, weights.weight[layer].data(), weights.bias[layer].data(), nullptr);
    x = convolved(y, weights.weight[layer + 1].data(), weights.bias[layer + 1].data(), &x);
  }
  std::vector<float> outputs = weights.head_bias;
  for (std::size_t out = 0; out < kOutputs; ++out) {
    for (std::size_t i = 0; i < 12 * width; ++i) outputs[out] += weights.head_weight[out * 12 * width + i] * x[i / width][i % width];
  }
  return outputs;
}

// The same from what goes to the device, by the places that its kernels count.
std::vector<float> folded_conv(const FoldedWeights& folded, std::size_t rules_index, const std::vector<Token>& board /* [kBoardTokens] */) {
  const auto width = static_cast<std::size_t>(folded.width);
  std::vector<float> x(kPitTokens * width), y = x;
  for (int pit = 0; pit < kPitTokens; ++pit) {
    for (std::size_t i = 0; i < width; ++i) {
      float sum = folded.rule_rows[rules_index * width + i];
      for (int token = 0; token < kConvTokens; ++token) sum += folded.embedding[board[static_cast<std::size_t>(conv_token(pit, token))] * width + i];
      x[static_cast<std::size_t>(pit) * width + i] = std::max(sum, 0.0f);
    }
  }
  const auto convolve = [&](std::size_t layer, const std::vector<float>& from, std::vector<float>& to, bool residual) {
    std::vector<float> columns;
    for (int pit = 0; pit < kPitTokens; ++pit) {
      for (int tap = 0; tap < kTaps; ++tap) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(neighbour(pit, tap)) * width);
        columns.insert(columns.end(), first, first + static_cast<std::ptrdiff_t>(width));
      }
    }
    for (std::size_t pit = 0; pit < kPitTokens; ++pit) {
      for (std::size_t out = 0; out < width; ++out) {
        float sum = folded.bias[layer * width + out] + (residual ? to[pit * width + out] : 0.0f);
        for (std::size_t in = 0; in < kTaps * width; ++in) sum += folded.weight[(layer * width + out) * kTaps * width + in] * columns[pit * kTaps * width + in];
        to[pit * width + out] = std::max(sum, 0.0f);
      }
    }
  };
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(folded.layers); layer += 2) {
    convolve(layer, x, y, false);
    convolve(layer + 1, y, x, true);
  }
  std::vector<float> outputs = folded.head_bias;
  for (std::size_t out = 0; out < kOutputs; ++out) {
    for (std::size_t i = 0; i < kPitTokens * width; ++i) outputs[out] += folded.head_weight[out * kPitTokens * width + i] * x[i];
  }
  return outputs;
}

// The same from what goes to the device.
std::vector<float> folded_mlp(const FoldedWeights& folded, std::size_t rules_index, const std::vector<Token>& board /* [kBoardTokens] */) {
  const auto width = static_cast<std::size_t>(folded.width);
  std::vector<float> x(folded.rule_rows.begin() + static_cast<std::ptrdiff_t>(rules_index * width), folded.rule_rows.begin() + static_cast<std::ptrdiff_t>((rules_index + 1) * width));
  for (const Token token : board) {
    for (std::size_t i = 0; i < width; ++i) x[i] += folded.embedding[token * width + i];
  }
  for (float& value : x) value = std::max(value, 0.0f);
  for (std::size_t block = 0; block < static_cast<std::size_t>(folded.layers); ++block) {
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

// The outputs of a network for a row, from what training leaves and from what goes to the device.
using Plain = std::vector<float> (*)(const LayeredWeights&, const std::vector<Token>&);
using Folded = std::vector<float> (*)(const FoldedWeights&, std::size_t, const std::vector<Token>&);

void expect_the_same_network(const LayeredWeights& weights, Plain plain, const FoldedWeights& folded, Folded from_folded) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    const std::size_t set = number % 2;
    const std::vector<Token> tokens = tokens_of(two_rule_sets()[set], number);
    const std::vector<float> expected = plain(weights, tokens), actual = from_folded(folded, set, {tokens.begin(), tokens.begin() + kBoardTokens});
    for (std::size_t i = 0; i < kOutputs; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4f);
  }
}

TEST(DeviceNetwork, FoldedWeightsAreTheSameNetwork) {
  const LayeredWeights mlp = random_mlp(24, 3), conv = random_conv(16, 2);
  expect_the_same_network(mlp, plain_mlp, fold_mlp(mlp, two_rule_sets()), folded_mlp);
  expect_the_same_network(conv, plain_conv, fold_conv(conv, two_rule_sets()), folded_conv);
}

std::size_t folded_bytes(const FoldedWeights& folded, std::size_t element) {
  return (folded.embedding.size() + folded.weight.size() + folded.bias.size() + folded.head_weight.size()) * element + (folded.rule_rows.size() + folded.head_bias.size()) * sizeof(float);
}

TEST(DeviceNetwork, MemoryIsToldAsItIsTaken) {
  const FoldedWeights mlp = fold_mlp(random_mlp(24, 3), two_rule_sets()), conv = fold_conv(random_conv(16, 2), two_rule_sets());
  EXPECT_EQ(device_weight_bytes({false, 24, 3, 2, 100, DevicePrecision::bfloat16}), folded_bytes(mlp, 2));
  EXPECT_EQ(device_weight_bytes({false, 24, 3, 2, 100, DevicePrecision::float32}), folded_bytes(mlp, 4));
  EXPECT_EQ(device_weight_bytes({true, 16, 4, 2, 100, DevicePrecision::bfloat16}), folded_bytes(conv, 2));
  EXPECT_EQ(device_scratch_bytes({false, 24, 3, 2, 100, DevicePrecision::float32}), kWorkspaceBytes + 2 * 100 * 24 * 4);
  EXPECT_EQ(device_scratch_bytes({true, 16, 4, 2, 5000, DevicePrecision::bfloat16}), kWorkspaceBytes + 5 * 2048 * 12 * 16 * 2);
}

TEST(DeviceNetwork, WeightsThatDoNotFitAreRefused) {
  LayeredWeights weights = random_mlp(24, 2);
  weights.bias[1].pop_back();
  EXPECT_THROW(fold_mlp(weights, two_rule_sets()), Error);
  weights = random_mlp(24, 2);
  weights.bias.pop_back();
  EXPECT_THROW(fold_mlp(weights, two_rule_sets()), Error);
  EXPECT_THROW(fold_mlp(random_mlp(20, 1), two_rule_sets()), Error);
  LayeredWeights conv = random_conv(16, 2);
  conv.weight.pop_back();
  conv.bias.pop_back();
  EXPECT_THROW(fold_conv(conv, two_rule_sets()), Error);
  conv = random_conv(16, 1);
  conv.head_weight.resize(kOutputs * 16);  // of an mlp
  EXPECT_THROW(fold_conv(conv, two_rule_sets()), Error);
  if (devices().empty()) {
    EXPECT_THROW(make_device_mlp_evaluator(random_mlp(24, 1), two_rule_sets(), 4), Error);
  }
}

using Make = std::unique_ptr<Evaluator> (*)(const LayeredWeights&, std::span<const Rules>, int rows, DevicePrecision);

void expect_plain_answers(const LayeredWeights& weights, Plain plain, std::initializer_list<int> sizes, Make make, DevicePrecision precision) {
  const float tolerance = precision == DevicePrecision::float32 ? 1e-3f : 0.05f;
  for (const int rows : sizes) {
    std::vector<Token> board;
    std::vector<std::uint8_t> rules_index, active;
    for (int row = 0; row < rows; ++row) {
      const auto number = static_cast<std::uint64_t>(row);
      const std::vector<Token> tokens = tokens_of(two_rule_sets()[number % 2], number);
      board.insert(board.end(), tokens.begin(), tokens.begin() + kBoardTokens);
      rules_index.push_back(static_cast<std::uint8_t>(number % 2));
      active.push_back(1);
    }
    const std::unique_ptr<Evaluator> evaluator = make(weights, two_rule_sets(), rows, precision);
    const std::vector<float> outputs = evaluate_on_device(*evaluator, board, rules_index, active);
    for (int row = 0; row < rows; ++row) {
      const auto number = static_cast<std::uint64_t>(row);
      const std::vector<float> expected = plain(weights, tokens_of(two_rule_sets()[number % 2], number));
      for (std::size_t i = 0; i < kOutputs; ++i) ASSERT_NEAR(outputs[number * kOutputs + i], expected[i], tolerance) << rows << " rows, row " << row;
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

TEST(GpuNetwork, AnswersAsThePlainOneAndRowsDoNotTouch) {
  WARI_NEEDS_GPU();
  for (const DevicePrecision precision : {DevicePrecision::float32, DevicePrecision::bfloat16}) {
    expect_plain_answers(random_mlp(256, 3), plain_mlp, {1, 31, 1000}, make_device_mlp_evaluator, precision);
    expect_plain_answers(random_conv(64, 2), plain_conv, {1, 31, 2050}, make_device_conv_evaluator, precision);  // the last: a chunk and two rows more
  }
}

TEST(GpuNetwork, TakesTheWeightsOfAnother) {
  WARI_NEEDS_GPU();
  std::vector<Token> board = tokens_of(two_rule_sets()[0], 3);
  board.resize(kBoardTokens);
  const std::vector<std::uint8_t> rules_index{0}, active{1};
  LayeredWeights other = random_mlp(64, 2);
  other.head_bias[3] += 5.0f;
  const auto first = make_device_mlp_evaluator(random_mlp(64, 2), two_rule_sets(), 1), second = make_device_mlp_evaluator(other, two_rule_sets(), 1);
  const auto clone = first->clone();
  const std::vector<float> before = evaluate_on_device(*first, board, rules_index, active);
  EXPECT_TRUE(first->take_weights(*second));
  EXPECT_EQ(evaluate_on_device(*first, board, rules_index, active), evaluate_on_device(*second, board, rules_index, active));
  EXPECT_EQ(evaluate_on_device(*clone, board, rules_index, active), before) << "a clone has weights of its own";
  EXPECT_FALSE(first->take_weights(*make_device_mlp_evaluator(random_mlp(64, 3), two_rule_sets(), 1)));
  EXPECT_FALSE(first->take_weights(*make_device_mlp_evaluator(other, two_rule_sets(), 2)));
  EXPECT_FALSE(first->take_weights(*make_device_mlp_evaluator(other, two_rule_sets(), 1, DevicePrecision::float32)));
}

// Its answers are replayed on the CPU: the trees must be the same to the last bit.
TEST(GpuNetwork, TreesAreTheHostsForTheSameAnswers) {
  WARI_NEEDS_GPU();
  const CudaSwitchesScope scope(parse_cuda_switches("compare"));
  SelfplayEngineSettings settings;
  settings.play.simulations = 32;
  settings.rules = two_rule_sets();
  settings.rules_cycle = {0, 1};
  settings.first_game = 110;
  settings.lanes = settings.total_lanes = 33;
  const auto engine = make_cuda_selfplay_engine(settings, make_device_mlp_evaluator(random_mlp(64, 2), two_rule_sets(), settings.lanes));
  std::vector<MoveRecord> log;
  engine->run(500, log);
  engine->restart_searches();
  engine->set_evaluator(make_device_mlp_evaluator(random_mlp(64, 2), two_rule_sets(), settings.lanes));
  engine->run(500, log);
  EXPECT_GT(log.size(), 500u);
}

TEST(GpuNetwork, OneProductIsExact) {
  WARI_NEEDS_GPU();
  EXPECT_EQ(test_device_product().fault, "");
}

}  // namespace
}  // namespace wari
