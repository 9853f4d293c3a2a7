#pragma once

#include <vector>

#include "core/tokens.h"

namespace wari {

// One output row of every network, as the search reads it: 12 policy logits (place of the pit, mover's six first), 3 logits (win, draw, loss), the expected margin.
inline constexpr int kNetworkOutputs = 16;

// The two shapes of the network's trunk. `mlp`: x <- relu(x + Wx + b), one matrix a block. `conv`: twelve pits in a circle (mover's six, then the opponent's), a block is
// two 3-wide circular convolutions with a residual: y <- relu(conv1(x)), x <- relu(x + conv2(y)).
enum class TrunkKind { mlp, conv };

// A network stripped of everything that only training needs: plain float32 arrays, all row-major, that the CPU kernels, the CUDA engine and the export read.
// Normalisation and averaging are folded in; the residual's identity is not, because kernels differ in how they add it.
//
// Input. Each position is kTokens tokens, each a row of `embedding`.
//   mlp:  x = relu(input_bias + sum of all 35 rows)                                                  [width]
//   conv: x[pit] = relu(input_bias + row of pit's count token + row of pit's capture token + shared)  [12, width]
//         where shared = sum of the rows of stores, quiet plies and rules (tokens 12..14 and 27..34), the same for all pits.
// Head. outputs = head_bias + head_weight * x, with x flattened pit by pit for conv (pit * width + channel).
struct FoldedNetwork {
  TrunkKind kind = TrunkKind::mlp;
  int width = 0;   // units (mlp) or channels (conv)
  int blocks = 0;

  // The convolution's input of output pit p is pits p - 1, p, p + 1 (modulo 12): taps 0, 1, 2.
  struct Layer {
    std::vector<float> weight;  // mlp [width out, width in]; conv [width out, 3 taps, width in]
    std::vector<float> bias;    // [width]
  };

  std::vector<float> embedding;    // [kVocabulary, width]
  std::vector<float> input_bias;   // [width]
  std::vector<Layer> layers;       // mlp: one a block; conv: two a block
  std::vector<float> head_weight;  // [kNetworkOutputs, features()]
  std::vector<float> head_bias;    // [kNetworkOutputs]

  int positions() const { return kind == TrunkKind::conv ? kPitTokens : 1; }
  int features() const { return positions() * width; }                               // inputs of the head
  int layer_inputs() const { return kind == TrunkKind::conv ? 3 * width : width; }   // columns of a layer's weight
  int layer_count() const { return kind == TrunkKind::conv ? 2 * blocks : blocks; }
};

}  // namespace wari
