#pragma once

#include <cmath>

#include "search/plain_kernel.h"
#include "search/tree.h"

// From the evaluator's 16 numbers to a node: softmax over the legal actions, win/draw/loss to a value.
namespace wari {

// Opens a node with what the evaluator said of it. False if it said something that is not a number.
template <class Kernel, class N>
WARI_HD inline bool open_node(const SearchParameters& parameters, N& node, const float* outputs /* [kOutputs] */, LeafValue& leaf) {
  float wdl[3];
  const bool finite = Kernel::open_edges(node, outputs, wdl);
  const float margin = outputs[kMarginOutput];
  leaf.margin = margin < -1.0f ? -1.0f : margin > 1.0f ? 1.0f : margin;
  leaf.margin = std::fabs(margin) < kFiniteLimit ? leaf.margin : 0.0f;
  leaf.draw = wdl[1];
  const float value = wdl[0] - wdl[2];
  leaf.value = value + parameters.margin_weight * (leaf.margin - value);
  node.visits = 1;
  node.value = leaf.value;
  store_best_edge<Kernel>(parameters, node);
  return finite;
}

}  // namespace wari
