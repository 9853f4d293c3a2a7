#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/tokens.h"
#include "search/evaluator.h"

// A network evaluated on a GPU without LibTorch: its first layer is a kernel of ours, everything else matrix products with bias and ReLU in one (cuBLASLt), in bfloat16 with
// sums in float32. Nothing allocates or waits once it is made, so its work can be captured into a graph.
namespace wari {

// A network as training leaves it, row-major float32; features: width (mlp) or kPitTokens x width (conv).
//   mlp   x = relu(input_bias + sum of the embedding's rows), x <- relu(x + W x + b) in each layer.
//   conv  twelve pits in a circle: x[pit] = relu(input_bias + rows of the pit's count, of its capture, and of stores, quiet plies and rules); two layers are a block, y <- relu(first(x)),
//         x <- relu(x + second(y)), each on a pit and its two neighbours.
// outputs = head_bias + head_weight x.
struct LayeredWeights {
  int width = 0;                          // a multiple of 8
  std::vector<float> embedding;           // [kVocabulary, width]
  std::vector<float> input_bias;          // [width]
  std::vector<std::vector<float>> weight; // [layers][width out, width in]; conv [layers][width out, kTaps, width in]
  std::vector<std::vector<float>> bias;   // [layers][width]
  std::vector<float> head_weight;         // [kOutputs, features]
  std::vector<float> head_bias;           // [kOutputs]
};

// `rules`: the rule sets of the engine, by the index that its batches carry. `rows`: of every batch. Throws Error without a GPU, or where the weights do not fit together.
std::unique_ptr<Evaluator> make_device_mlp_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows);
std::unique_ptr<Evaluator> make_device_conv_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows);

// One batch from the host's memory and back, for tests and the doctor: tokens [rows, kBoardTokens], rules_index [rows], active [rows]; returns [rows, kOutputs].
std::vector<float> evaluate_on_device(Evaluator& evaluator, std::span<const Token> tokens, std::span<const std::uint8_t> rules_index, std::span<const std::uint8_t> active);

// Batches of `rows` one after the other for about so many seconds, with mixed tokens: how fast the network alone is.
double device_evaluations_per_second(Evaluator& evaluator, int rows, double seconds);

// The weights as the products read them, and what is checked before anything is copied: functions of their own, so that they are tested without a device.
// Each rule set's constant tokens become one row of sums (with the input's bias). fold_mlp() also adds the residual's identity to each matrix.
struct FoldedWeights {
  int width = 0, layers = 0;
  std::vector<float> embedding;    // [kVocabulary, width]
  std::vector<float> rule_rows;    // [rules, width]
  std::vector<float> weight;       // [layers, width out, width in]; conv [layers, width out, kTaps, width in]
  std::vector<float> bias;         // [layers, width]
  std::vector<float> head_weight;  // [kOutputs, features]
  std::vector<float> head_bias;    // [kOutputs]
};
FoldedWeights fold_mlp(const LayeredWeights& weights, std::span<const Rules> rules);
FoldedWeights fold_conv(const LayeredWeights& weights, std::span<const Rules> rules);

// What the kernels of `conv` count by. The input of pit p under tap t is pit neighbour(p, t); its tokens are at conv_token(p, 0 .. kConvTokens - 1) of a row.
inline constexpr int kTaps = 3;
inline constexpr int kConvTokens = kStoreTokens + 3;
WARI_HD constexpr int neighbour(int pit, int tap) { return (pit + tap + kPitTokens - 1) % kPitTokens; }
WARI_HD constexpr int conv_token(int pit, int i) { return i == 0 ? pit : i == 1 ? kPitTokens + kStoreTokens + 1 + pit : kPitTokens + i - 2; }

}  // namespace wari
