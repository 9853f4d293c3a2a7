#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/tokens.h"
#include "cuda/kernel_image.h"
#include "search/evaluator.h"

// A network evaluated on a GPU without LibTorch: its first layer is a kernel of ours, everything else matrix products with bias and ReLU in one (cuBLASLt), with sums in float32.
// Nothing allocates or waits after its first batch, so its work can be captured into a graph. Each evaluator has weights of its own, which take_weights() writes over in place.
namespace wari {

// Of weights and activations. float32 is slower by far and there to answer a doubt about the other.
enum class DevicePrecision { bfloat16, float32 };

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

// `rules`: the rule sets of the engine, by the index that its batches carry. `rows`: of every batch. The switch `float32` overrules `precision`. Throws Error without a GPU, or where the
// weights do not fit together.
std::unique_ptr<Evaluator> make_device_mlp_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows, DevicePrecision precision = DevicePrecision::bfloat16);
std::unique_ptr<Evaluator> make_device_conv_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows, DevicePrecision precision = DevicePrecision::bfloat16);

// One batch from the host's memory and back, for tests and the doctor: tokens [rows, kBoardTokens], rules_index [rows], active [rows]; returns [rows, kOutputs].
std::vector<float> evaluate_on_device(Evaluator& evaluator, std::span<const Token> tokens, std::span<const std::uint8_t> rules_index, std::span<const std::uint8_t> active);

// One matrix product as networks do it, in bfloat16 with a float32 result: x [rows, inputs] times weight [outputs, inputs] transposed, plus bias [outputs].
std::vector<float> multiply_on_device(std::span<const float> x, std::span<const float> weight, std::span<const float> bias, int rows, int inputs, int outputs);

// What evaluators launch beside cuBLASLt's kernels. Empty without a GPU.
std::vector<KernelImage> network_kernel_images();

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

// What an evaluator takes of the device's memory, in elements of its precision (bias and rule rows in float32 count as such): the arrays are made by these numbers.
struct DeviceNetworkShape {
  bool conv = false;
  int width = 0, layers = 0;
  int rule_sets = 1;
  int rows = 0;
  DevicePrecision precision = DevicePrecision::bfloat16;
};
std::size_t device_weight_bytes(const DeviceNetworkShape& shape);
std::size_t device_scratch_bytes(const DeviceNetworkShape& shape);  // activations and the workspace of the products, from the first batch on

inline constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
inline constexpr int kChunkRows = 2048;  // of conv: rows that go through all layers together, so that their activations (x, y and neighbours: 2,048 x 12 x 5 x 128 in bfloat16, 31 MB) stay in the second-level cache
constexpr std::size_t mlp_activations(int rows, int width) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width); }
constexpr std::size_t conv_activations(int rows, int width) { return static_cast<std::size_t>(rows < kChunkRows ? rows : kChunkRows) * kPitTokens * static_cast<std::size_t>(width); }

// What the kernels of `conv` count by. The input of pit p under tap t is pit neighbour(p, t); its tokens are at conv_token(p, 0 .. kConvTokens - 1) of a row.
inline constexpr int kTaps = 3;
inline constexpr int kConvTokens = kStoreTokens + 3;
WARI_HD constexpr int neighbour(int pit, int tap) { return (pit + tap + kPitTokens - 1) % kPitTokens; }
WARI_HD constexpr int conv_token(int pit, int i) { return i == 0 ? pit : i == 1 ? kPitTokens + kStoreTokens + 1 + pit : kPitTokens + i - 2; }

}  // namespace wari
