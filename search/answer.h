#pragma once

#include "search/root.h"

namespace wari {

inline constexpr int kLineKept = 64;  // moves of a principal variation

// What a search found, as the root's mover sees it.
template <int Edges>
struct SearchAnswer {
  RootSummary<Edges> summary;
  float prior[Edges];
  std::uint32_t legal = 0, proven = 0;  // masks of actions
  std::int32_t best = -1;
  std::int32_t simulations = 0;
  float draw = 0;    // mean over all evaluations
  float margin = 0;  // likewise, as a share of all seeds; of the line's end where that is proven
  std::int32_t line_length = 0;
  std::uint8_t line[kLineKept];
};

template <class N>
WARI_HD inline int most_visited(const N& node) {
  int best = -1;
  for (int e = 0; e < N::kEdges; ++e) {
    if (node.edge_visits[e] == 0) continue;
    const bool proven = ((node.proven_edges >> e) & 1) != 0;
    if (proven && node.edge_value[e] > 0) return e;
    const bool better = best < 0 || node.edge_visits[e] > node.edge_visits[best] ||
                        (node.edge_visits[e] == node.edge_visits[best] && node.edge_value[e] > node.edge_value[best]);
    if (better) best = e;
  }
  return best;
}

// The line that both sides would play: best move of the root, then the most visited, or a proven win. Returns the line's last node.
template <class N>
WARI_HD inline std::uint32_t write_line(const N* nodes, SearchAnswer<N::kEdges>& to) {
  int edge = to.best;
  std::uint32_t at = 0;
  to.line_length = 0;
  while (edge >= 0) {
    if (to.line_length < kLineKept) to.line[to.line_length++] = static_cast<std::uint8_t>(edge);
    const std::uint32_t child = nodes[at].child_index(edge);
    if (child == 0) break;
    at = child;
    edge = nodes[at].visits == 0 || (nodes[at].flags & kNodeTerminal) != 0 ? -1 : most_visited(nodes[at]);
  }
  return at;
}

template <class N>
WARI_HD inline void write_answer(const SearchParameters& parameters, const N* nodes, const RootData<N::kEdges>& data, const SearchLane& lane,
                                 SearchAnswer<N::kEdges>& to) {
  const N& root = nodes[0];
  summarise(parameters, root, data, lane, to.summary);
  for (int e = 0; e < N::kEdges; ++e) to.prior[e] = data.prior[e];
  to.legal = root.legal;
  to.proven = root.proven_edges;
  to.best = best_action<N>(parameters, data, to.summary);
  to.simulations = lane.simulations;
  const float count = static_cast<float>(lane.simulations + 1);
  to.draw = lane.draw_sum / count;
  to.margin = lane.margin_sum / count;
  const N& last = nodes[write_line(nodes, to)];
  if (((to.proven >> to.best) & 1) == 0 || (last.flags & (kNodeTerminal | kNodeTable)) == 0) return;
  const Rules& rules = parameters.rules[lane.rules_index];
  const bool over = (last.flags & kNodeTerminal) != 0;
  const float margin = (over ? terminal_value(parameters, rules, last.position, static_cast<End>(last.end)) : table_value(parameters, rules, last)).margin;
  to.margin = north_moves(last.position) == north_moves(root.position) ? margin : -margin;
}

}  // namespace wari
