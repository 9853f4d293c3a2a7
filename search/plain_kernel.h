#pragma once

#include <cmath>

#include "search/evaluator.h"
#include "search/exact_math.h"
#include "search/node.h"

namespace wari {

// Sum of up to twelve numbers in the order in which a vector of eight is folded, so that vector versions give the same bits.
template <int Count>
WARI_HD inline float folded_sum(const float* numbers /* [Count] */) {
  float part[8];
  for (int i = 0; i < 8; ++i) part[i] = (i < Count ? numbers[i] : 0.0f) + (i + 8 < Count ? numbers[i + 8] : 0.0f);
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

inline constexpr float kFiniteLimit = 1e30f;  // outputs beyond it count as not finite

// Probabilities of a softmax over the legal edges; 0 for illegal ones. False, and even shares, if a legal logit is not finite.
template <int Edges>
WARI_HD inline bool masked_softmax(const float* logits /* [Edges] */, std::uint32_t legal, float* share /* [Edges] */) {
  float best = -INFINITY;
  bool finite = true;
  for (int e = 0; e < Edges; ++e) {
    const bool is_legal = (legal >> e) & 1;
    const float logit = logits[e];
    if (is_legal && !(std::fabs(logit) < kFiniteLimit)) finite = false;
    if (is_legal && logit > best) best = logit;
  }
  // Two loops: g++ 12 with AVX-512 drops the mask of legal edges where `finite` stands in the same condition.
  if (finite) {
    for (int e = 0; e < Edges; ++e) share[e] = (legal >> e) & 1 ? exact_exp(logits[e] - best) : 0.0f;
  } else {
    for (int e = 0; e < Edges; ++e) share[e] = static_cast<float>((legal >> e) & 1);
  }
  const float scale = 1.0f / folded_sum<Edges>(share);
  for (int e = 0; e < Edges; ++e) share[e] *= scale;
  return finite;
}

// Priors as integers: rounded, at least 1, since 0 marks an illegal edge.
WARI_HD inline std::uint16_t prior_units(float prior) {
  const int units = static_cast<int>(prior * 65535.0f + 0.5f);
  return static_cast<std::uint16_t>(units < 1 ? 1 : units > 65535 ? 65535 : units);
}

// Writes priors to the edges of a node without visits.
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

// The inner loops over the edges of one node in plain C: for GPUs and every processor, and what the vector versions must equal bit by bit.
struct PlainKernel {
  // Writes the edges of a new node from the evaluator's outputs, chooses the edge with the highest prior (the lowest of equals) and gives the probabilities of win, draw
  // and loss. False if the policy, or the rest, was not finite: then even priors, or an even game, stand in.
  template <class N>
  WARI_HD static bool open_edges(N& node, const float* outputs /* [kOutputs] */, float* wdl /* [3] */) {
    float prior[N::kEdges];
    const bool policy_ok = masked_softmax<N::kEdges>(outputs + kPolicyOutput, node.legal, prior);
    write_edges(node, prior);
    int favourite = 0;
    for (int e = 1; e < N::kEdges; ++e) favourite = node.prior[e] > node.prior[favourite] ? e : favourite;
    node.best_edge = static_cast<std::uint8_t>(favourite);
    node.best_child = 0;
    const float win = outputs[kWdlOutput], draw = outputs[kWdlOutput + 1], loss = outputs[kWdlOutput + 2];
    const bool value_ok = std::fabs(win) < kFiniteLimit && std::fabs(draw) < kFiniteLimit && std::fabs(loss) < kFiniteLimit && std::fabs(outputs[kMarginOutput]) < kFiniteLimit;
    float best = win > draw ? win : draw;
    best = loss > best ? loss : best;
    const float w = exact_exp(value_ok ? win - best : 0.0f), d = exact_exp(value_ok ? draw - best : 0.0f), l = exact_exp(value_ok ? loss - best : 0.0f);
    const float scale = 1.0f / ((w + d) + l);
    wdl[0] = w * scale;
    wdl[1] = d * scale;
    wdl[2] = l * scale;
    return policy_ok && value_ok;
  }

  // Best score Q + U c sqrt(n); the lowest edge of equals. `first_play` stands for Q where an edge has no visit.
  template <class N>
  WARI_HD static int choose_edge(const N& node, float exploration, float first_play) {
    int best = 0;
    float best_score = -INFINITY;
    for (int e = 0; e < N::kEdges; ++e) {
      const float urgency = node.edge_urgency[e];
      const float value = urgency < 0 ? first_play : node.edge_value[e];
      const float score = value + std::fabs(urgency) * exploration;
      if (score > best_score) {
        best_score = score;
        best = e;
      }
    }
    return best;
  }

  // The same after one edge got a new Q and U, which are stored.
  template <class N>
  WARI_HD static int update_and_choose(N& node, int edge, float value, float urgency, float exploration, float first_play) {
    node.edge_value[edge] = value;
    node.edge_urgency[edge] = urgency;
    return choose_edge(node, exploration, first_play);
  }
};

}  // namespace wari
