#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "train/inference/int8_kernels.h"

namespace wari {

// A folded network in 8-bit integers; immutable, shared by the workers.
//
// Every unit (channel) of every stage has its own step: activation = step * (0..127). Steps come from the largest activations seen on calibration positions. The steps of a
// matrix's inputs are multiplied into its columns before these are rounded, each output row to a step of its own. The residual is added before rounding, in float32.
struct Int8Weights {
  // `largest`: [1 + layers, pitch], see FloatNetwork::largest_activations.
  Int8Weights(const FoldedNetwork& network, std::span<const float> largest);

  TrunkLayout layout;
  ByteEmbedding table;
  AlignedVector<float> rule_rows;  // [kVocabulary - kRuleOffset, pitch], in float32: a rule set's sum is rounded once
  AlignedVector<float> rule_bias;  // [pitch]: input bias and the smallest entries of all places
  AlignedVector<float> table_step;  // [pitch]: value of one unit of the table's bytes
  std::vector<Int8Matrix> layers;
  Int8Matrix head;  // outputs 16..31 are what rounding left of 0..15: a few weights of a head tend to be far larger than the rest
};

// Rounds one output's weights (inputs padded to Int8Matrix::kSpan) to the finest step that keeps within 127 and the spans' limit, and returns that step.
float quantise_row(std::span<const float> weights, std::span<std::int8_t> rounded);

}  // namespace wari
