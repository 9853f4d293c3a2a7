#pragma once

#include <span>
#include <vector>

#include "core/rules.h"
#include "selfplay/sample.h"
#include "train/inference/aligned_vector.h"
#include "train/network.h"

namespace wari {

// The network's first layer, forward and backward, for one thread: sums of embedding rows. Tokens of the rules are the same for all samples of one rule set, so their
// rows are added once a rule set and their gradient is written once a batch.
class FirstLayer {
 public:
  FirstLayer(const NetworkLayout& layout, int chunk);

  void begin(const float* weights, std::span<const Rules> rules);
  // Encodes at most `chunk` samples and writes relu(sum of rows + bias): [samples, positions, width].
  void forward(const float* weights, std::span<const Sample> samples, std::span<const Rules> rules, float* out);
  // Of the samples that forward() saw last. `above` [samples, positions, width] is the gradient of the layer's output (after the ReLU); `gradient` is a flat buffer.
  void backward(std::span<const Sample> samples, const float* activation, float* above, float* gradient);
  void end(std::span<const Rules> rules, float* gradient);

 private:
  const Token* tokens_of(std::size_t sample) const { return tokens_.data() + sample * kBoardTokens; }

  NetworkLayout layout_;
  int width_;
  std::vector<Token> tokens_;              // [chunk, kBoardTokens]
  AlignedVector<float> base_;              // [rules, width]: bias and the rows of the rules' tokens
  AlignedVector<float> base_gradient_;     // [rules, width]
  AlignedVector<float> shared_;            // [width]
};

}  // namespace wari
