#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/tokens.h"
#include "search/evaluator.h"

// A network evaluated on a GPU without LibTorch: its first layer is a kernel of ours, everything else matrix products with bias and ReLU in one (cuBLASLt), in bfloat16 with
// sums in float32. Nothing allocates or waits once it is made, so its work can be captured into a graph.
namespace wari {

// A network of kind `mlp` as training leaves it, row-major float32: x = relu(input_bias + sum of the embedding's rows), x <- relu(x + W x + b) in each block,
// outputs = head_bias + head_weight x.
struct MlpWeights {
  int width = 0;                          // a multiple of 8
  std::vector<float> embedding;           // [kVocabulary, width]
  std::vector<float> input_bias;          // [width]
  std::vector<std::vector<float>> weight; // [blocks][width out, width in]
  std::vector<std::vector<float>> bias;   // [blocks][width]
  std::vector<float> head_weight;         // [kOutputs, width]
  std::vector<float> head_bias;           // [kOutputs]
};

// `rules`: the rule sets of the engine, by the index that its batches carry. `rows`: of every batch. Throws Error without a GPU, or where the weights do not fit together.
std::unique_ptr<Evaluator> make_device_mlp_evaluator(const MlpWeights& weights, std::span<const Rules> rules, int rows);

// A network of kind `conv`: twelve pits in a circle. x[pit] = relu(input_bias + rows of the pit's count, of its capture, and of stores, quiet plies and rules); a block is two layers,
// y <- relu(first(x)), x <- relu(x + second(y)), each on a pit and its two neighbours; outputs = head_bias + head_weight x.
struct ConvWeights {
  int width = 0;                          // channels, a multiple of 8
  std::vector<float> embedding;           // [kVocabulary, width]
  std::vector<float> input_bias;          // [width]
  std::vector<std::vector<float>> weight; // [layers][width out, kTaps, width in]
  std::vector<std::vector<float>> bias;   // [layers][width]
  std::vector<float> head_weight;         // [kOutputs, kPitTokens, width]
  std::vector<float> head_bias;           // [kOutputs]
};
std::unique_ptr<Evaluator> make_device_conv_evaluator(const ConvWeights& weights, std::span<const Rules> rules, int rows);

// One batch from the host's memory and back, for tests and the doctor: tokens [rows, kBoardTokens], rules_index [rows], active [rows]; returns [rows, kOutputs].
std::vector<float> evaluate_on_device(Evaluator& evaluator, std::span<const Token> tokens, std::span<const std::uint8_t> rules_index, std::span<const std::uint8_t> active);

// Batches of `rows` one after the other for about so many seconds, with mixed tokens: how fast the network alone is.
double device_evaluations_per_second(Evaluator& evaluator, int rows, double seconds);

// The weights as the products read them, and what is checked before anything is copied: a function of its own, so that it is tested without a device.
// Folds the identity of the residual into each block's matrix, and each rule set's constant tokens into one row of sums (with the input's bias): [rules, width].
struct FoldedMlp {
  int width = 0, blocks = 0;
  std::vector<float> embedding;    // [kVocabulary, width]
  std::vector<float> rule_rows;    // [rules, width]
  std::vector<float> weight;       // [blocks, width out, width in], the identity added
  std::vector<float> bias;         // [blocks, width]
  std::vector<float> head_weight;  // [kOutputs, width]
  std::vector<float> head_bias;    // [kOutputs]
};
FoldedMlp fold_mlp(const MlpWeights& weights, std::span<const Rules> rules);

struct FoldedConv {
  int width = 0, layers = 0;
  std::vector<float> embedding;    // [kVocabulary, width]
  std::vector<float> rule_rows;    // [rules, width]
  std::vector<float> weight;       // [layers, width out, kTaps, width in]
  std::vector<float> bias;         // [layers, width]
  std::vector<float> head_weight;  // [kOutputs, kPitTokens, width]
  std::vector<float> head_bias;    // [kOutputs]
};
FoldedConv fold_conv(const ConvWeights& weights, std::span<const Rules> rules);

// What the kernels of `conv` count by. The input of pit p under tap t is pit neighbour(p, t); its tokens are at conv_token(p, 0 .. kConvTokens - 1) of a row.
inline constexpr int kTaps = 3;
inline constexpr int kConvTokens = kStoreTokens + 3;
WARI_HD constexpr int neighbour(int pit, int tap) { return (pit + tap + kPitTokens - 1) % kPitTokens; }
WARI_HD constexpr int conv_token(int pit, int i) { return i == 0 ? pit : i == 1 ? kPitTokens + kStoreTokens + 1 + pit : kPitTokens + i - 2; }

}  // namespace wari
