#pragma once

#include <cmath>

#include "search/evaluator.h"
#include "search/tree.h"

// From the evaluator's 16 numbers to a node: softmax over the legal actions, win/draw/loss to a value.
namespace wari {

// Probabilities of a softmax over the legal edges; 0 for illegal ones. False, and even shares, if a legal logit is not finite.
template <int Edges>
WARI_HD inline bool masked_softmax(const float* logits /* [Edges] */, std::uint32_t legal, float* share /* [Edges] */) {
  float best = -INFINITY;
  bool finite = true;
  for (int e = 0; e < Edges; ++e) {
    const bool is_legal = (legal >> e) & 1;
    const float logit = logits[e];
    if (is_legal && !(std::fabs(logit) < 1e30f)) finite = false;
    if (is_legal && logit > best) best = logit;
  }
  float sum = 0;
  for (int e = 0; e < Edges; ++e) {
    const float logit = finite ? logits[e] - best : 0.0f;
    share[e] = (legal >> e) & 1 ? exact_exp(logit) : 0.0f;
    sum += share[e];
  }
  const float scale = 1.0f / sum;
  for (int e = 0; e < Edges; ++e) share[e] *= scale;
  return finite;
}

// Value, draw and margin; an even game and false if one of them is not finite.
WARI_HD inline bool read_value(const SearchParameters& parameters, const float* outputs /* [kOutputs] */, LeafValue& leaf) {
  const float win = outputs[kWdlOutput], draw = outputs[kWdlOutput + 1], loss = outputs[kWdlOutput + 2];
  const float margin = outputs[kMarginOutput];
  const bool finite = std::fabs(win) < 1e30f && std::fabs(draw) < 1e30f && std::fabs(loss) < 1e30f && std::fabs(margin) < 1e30f;
  float best = win > draw ? win : draw;
  best = loss > best ? loss : best;
  const float w = exact_exp(finite ? win - best : 0.0f), d = exact_exp(finite ? draw - best : 0.0f), l = exact_exp(finite ? loss - best : 0.0f);
  const float scale = 1.0f / ((w + d) + l);
  leaf.margin = finite ? (margin < -1.0f ? -1.0f : margin > 1.0f ? 1.0f : margin) : 0.0f;
  leaf.draw = d * scale;
  const float value = (w - l) * scale;
  leaf.value = value + parameters.margin_weight * (leaf.margin - value);
  return finite;
}

WARI_HD inline std::uint16_t prior_units(float prior) {
  const int units = static_cast<int>(prior * 65535.0f + 0.5f);
  return static_cast<std::uint16_t>(units < 1 ? 1 : units > 65535 ? 65535 : units);
}

// Writes the priors of a node without visits to its edges.
template <class N>
WARI_HD inline void write_edges(N& node, const float* prior /* [kEdges] */) {
  for (int e = 0; e < N::kEdges; ++e) {
    const bool legal = (node.legal >> e) & 1;
    const std::uint16_t units = prior_units(prior[e]);
    node.prior[e] = legal ? units : 0;
    node.edge_visits[e] = 0;
    node.edge_value[e] = legal ? 0.0f : -INFINITY;
    node.edge_urgency[e] = legal ? static_cast<float>(units) * -kPriorUnit : 0.0f;
    node.child[e] = 0;
  }
}

// Opens a node with what the evaluator said of it. False if it said something that is not a number.
template <class Kernel, class N>
WARI_HD inline bool open_node(const SearchParameters& parameters, N& node, const float* outputs /* [kOutputs] */, LeafValue& leaf) {
  float prior[N::kEdges];
  const bool policy_ok = masked_softmax<N::kEdges>(outputs + kPolicyOutput, node.legal, prior);
  const bool value_ok = read_value(parameters, outputs, leaf);
  write_edges(node, prior);
  node.visits = 1;
  node.value = leaf.value;
  store_best_edge<Kernel>(parameters, node);
  return policy_ok && value_ok;
}

}  // namespace wari
