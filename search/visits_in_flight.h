#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/tree.h"

// Many leaves of one tree at once: visits that have been sent down and are not back yet.
namespace wari {

inline constexpr std::uint8_t kNodeSaved = 8;  // among the flags of a node: a visit in flight has passed it

// What visits in flight change of a node, as it was before. So they leave no trace, not even a rounding: the tree is then what backing up alone makes of it.
template <class N>
struct SavedNode {
  std::uint32_t index;
  typename N::Count visits;
  typename N::Count best_child;
  std::uint8_t best_edge;
  typename N::Count edge_visits[N::kEdges];
  float edge_value[N::kEdges];
  float edge_urgency[N::kEdges];

  SavedNode(std::uint32_t node_index, const N& node) : index(node_index), visits(node.visits), best_child(node.best_child), best_edge(node.best_edge) {
    for (int e = 0; e < N::kEdges; ++e) {
      edge_visits[e] = node.edge_visits[e];
      edge_value[e] = node.edge_value[e];
      edge_urgency[e] = node.edge_urgency[e];
    }
  }

  // Field by field: other threads read the node's position meanwhile.
  void restore(N& node) const {
    node.visits = visits;
    node.best_child = best_child;
    node.best_edge = best_edge;
    for (int e = 0; e < N::kEdges; ++e) {
      node.edge_visits[e] = edge_visits[e];
      node.edge_value[e] = edge_value[e];
      node.edge_urgency[e] = edge_urgency[e];
    }
  }
};

// Sends one visit down the node's best edge, as if it had come back with what the edge is worth so far minus `loss`, and chooses the next. The node's own
// value, and with it the first-play urgency, does not move (Chaslot et al. 2008 have a loss instead; Liu et al. 2020 count the visit alone, which is `loss` 0).
template <class Kernel, class N>
inline void send_visit(const SearchParameters& p, N& node, float loss) {
  using Count = typename N::Count;
  const int edge = node.best_edge;
  float first_play = node.value - p.fpu_reduction;
  first_play = first_play < -1.0f ? -1.0f : first_play;
  const float value = node.edge_visits[edge] == 0 ? first_play : node.edge_value[edge];
  const std::uint32_t edge_visits = node.edge_visits[edge] + 1u;
  const std::uint32_t visits = node.visits + 1u;
  node.edge_visits[edge] = static_cast<Count>(edge_visits);
  node.visits = static_cast<Count>(visits);
  const float exploration = exploration_at<N>(p, visits);
  int best;
  if (((node.proven_edges >> edge) & 1) != 0) {
    best = Kernel::choose_edge(node, exploration, first_play);
  } else {
    const float urgency = static_cast<float>(node.prior[edge]) * kPriorUnit * reciprocal_at<N>(p, edge_visits + 1u);
    best = Kernel::update_and_choose(node, edge, value - loss * reciprocal_at<N>(p, edge_visits), urgency, exploration, first_play);
  }
  node.best_edge = static_cast<std::uint8_t>(best);
  node.best_child = node.child[best];
}

// Beyond so many visits a float cannot hold the step of a mean, which would stand still: the newest so many count.
inline constexpr std::uint32_t kMeanVisits = std::uint32_t{1} << 21;

// One more visit of `edge` at `node`, with `value` of the node's mover: add_visit() without its choice, which is made once for all visits of a batch.
template <class N>
inline void count_visit(const SearchParameters& p, N& node, int edge, float value) {
  using Count = typename N::Count;
  const std::uint32_t edge_visits = node.edge_visits[edge] + 1u;
  const std::uint32_t visits = node.visits + 1u;
  node.edge_visits[edge] = static_cast<Count>(edge_visits);
  node.visits = static_cast<Count>(visits);
  node.value += (value - node.value) * reciprocal_at<N>(p, std::min(visits, kMeanVisits));
  const float old_value = node.edge_value[edge];
  node.edge_value[edge] = old_value + (value - old_value) * reciprocal_at<N>(p, std::min(edge_visits, kMeanVisits));
  node.edge_urgency[edge] = static_cast<float>(node.prior[edge]) * kPriorUnit * reciprocal_at<N>(p, edge_visits + 1u);
}

// Adds one simulation to node `at`, its `edge`, and all above up to the root; `result` is the mover's at `at`, `proven`: it is exact. As back_up(), but leaves
// of the same batch may have proven an edge or a node of the path since the visit was sent: what is exact stays so, and is what the nodes above get to hear.
template <class Kernel, class N>
inline void bring_back(const SearchParameters& p, N* nodes, SearchLane& lane, std::uint32_t at, int edge, LeafValue result, bool proven) {
  float value = result.value;
  float draw = result.draw;
  bool mover = is_north(nodes[at].position.mover);
  const bool first_mover = mover;
  for (;;) {
    N& node = nodes[at];
    const bool here = is_north(node.position.mover);
    value = here != mover ? -value : value;
    mover = here;
    if (!proven && ((node.proven_edges >> edge) & 1) != 0) [[unlikely]] {
      value = node.edge_value[edge];
      draw = value == 0 ? 1.0f : 0.0f;
      proven = true;
    }
    const bool known = (node.flags & kNodeProven) != 0;
    const float exact = node.value;
    count_visit(p, node, edge, value);
    if (known) [[unlikely]]
      node.value = exact;
    if (proven) prove_edge<Kernel>(p, node, edge, value);
    proven = (node.flags & kNodeProven) != 0;
    if (proven) value = node.value;
    if (proven) draw = value == 0 ? 1.0f : 0.0f;
    if (at == 0) break;
    edge = node.parent_edge;
    at = node.parent;
  }
  lane.draw_sum += draw;
  lane.margin_sum += mover == first_mover ? result.margin : -result.margin;
  ++lane.simulations;
}

}  // namespace wari
