#pragma once

#include <cmath>

#include "search/node.h"

namespace wari {

// The choice of the best edge in plain C: for GPUs and every processor, and what the vector versions must equal bit by bit.
struct PlainKernel {
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
};

}  // namespace wari
