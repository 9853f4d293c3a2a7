#pragma once

#include <cmath>

#include "search/plain_kernel.h"
#include "search/tree.h"

// From the evaluator's 16 numbers to a node: softmax over the legal actions, win/draw/loss to a value.
namespace wari {

// Value of a position from the evaluator's probabilities and margin.
WARI_HD inline LeafValue leaf_value(const SearchParameters& parameters, const float* wdl /* [3] */, float margin) {
  LeafValue leaf;
  leaf.margin = margin < -1.0f ? -1.0f : margin > 1.0f ? 1.0f : margin;
  leaf.margin = std::fabs(margin) < kFiniteLimit ? leaf.margin : 0.0f;
  leaf.draw = wdl[1];
  const float value = wdl[0] - wdl[2];
  leaf.value = value + parameters.margin_weight * (leaf.margin - value);
  return leaf;
}

// Opens a node with what the evaluator said of it. False if it said something that is not a number.
template <class Kernel, class N>
WARI_HD inline bool open_node(const SearchParameters& parameters, N& node, const float* outputs /* [kOutputs] */, LeafValue& leaf) {
  float wdl[3];
  const bool finite = Kernel::open_edges(node, outputs, wdl);
  leaf = leaf_value(parameters, wdl, outputs[kMarginOutput]);
  return finite;
}

}  // namespace wari
