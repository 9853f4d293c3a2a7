#pragma once

#include <cmath>

#include "core/moves.h"
#include "core/repetition.h"
#include "search/exact_math.h"
#include "search/lane.h"
#include "search/node.h"

// What happens to one tree: a node made, evaluated, backed up. Functions on plain structs; `nodes` is the lane's block of nodes.
namespace wari {

// c(n) sqrt(n) at a node of n visits (its own evaluation is one of them, so that the first choice follows the priors).
WARI_HD inline float exploration_formula(const SearchParameters& parameters, std::int32_t visits) {
  float c = parameters.c_puct;
  if (parameters.c_puct_log_base > 0) c += exact_log((static_cast<float>(visits) + parameters.c_puct_log_base + 1.0f) / parameters.c_puct_log_base);
  return c * std::sqrt(static_cast<float>(visits));
}

template <class N>
WARI_HD inline float exploration_at(const SearchParameters& parameters, std::uint32_t visits) {
  if constexpr (sizeof(typename N::Count) == 2) return parameters.exploration[visits];
  if (visits < static_cast<std::uint32_t>(parameters.table_size)) return parameters.exploration[visits];
  return exploration_formula(parameters, static_cast<std::int32_t>(visits));
}

template <class N>
WARI_HD inline float reciprocal_at(const SearchParameters& parameters, std::uint32_t count) {
  if constexpr (sizeof(typename N::Count) == 2) return parameters.reciprocal[count];
  return count < static_cast<std::uint32_t>(parameters.table_size) ? parameters.reciprocal[count] : 1.0f / static_cast<float>(count);
}

// Chooses the edge of the next simulation and stores it with its child, so that selection is a chase of pointers.
template <class Kernel, class N>
WARI_HD inline void store_best_edge(const SearchParameters& parameters, N& node) {
  float first_play = node.value - parameters.fpu_reduction;
  first_play = first_play < -1.0f ? -1.0f : first_play;
  const int edge = Kernel::choose_edge(node, exploration_at<N>(parameters, node.visits), first_play);
  node.best_edge = static_cast<std::uint8_t>(edge);
  node.best_child = node.child[edge];
}

// What an evaluation or the end of the game says of a position, from its mover's side.
struct LeafValue {
  float value;   // win minus loss, with the margin's share
  float draw;    // probability
  float margin;  // mover's final store minus the opponent's, as a share of all seeds
};

// The value of a final margin in half seeds. With a margin's share it is not 1 for a win; its sign says who won all the same.
WARI_HD inline LeafValue margin_value(const SearchParameters& parameters, const Rules& rules, int difference) {
  LeafValue leaf;
  leaf.margin = static_cast<float>(difference) / static_cast<float>(2 * rules.total_seeds());
  leaf.draw = difference == 0 ? 1.0f : 0.0f;
  const float result = difference > 0 ? 1.0f : difference < 0 ? -1.0f : 0.0f;
  leaf.value = result + parameters.margin_weight * (leaf.margin - result);
  return leaf;
}

// The value of a finished game.
WARI_HD inline LeafValue terminal_value(const SearchParameters& parameters, const Rules& rules, const Position& position, End end) {
  const FinalStores stores = final_stores(rules, position, end);
  return margin_value(parameters, rules, stores.mover_half_seeds - stores.opponent_half_seeds);
}

template <class N>
WARI_HD inline LeafValue table_value(const SearchParameters& parameters, const Rules& rules, const N& node) {
  return margin_value(parameters, rules, 2 * static_cast<int>(node.table_margin));
}

// Asks the endgame table for a new node whose game goes on. Right after a capture no earlier position can recur, and a value that holds whatever a cycle pays is
// proven; later a cycle may end in a position from before, which no table knows, so there every value is an estimate that takes the place of the network's.
template <class N>
WARI_HD inline void look_up(const SearchParameters& parameters, const Rules& rules, const SearchLane& lane, N& node) {
  const EndgameView& table = parameters.endgames[lane.rules_index];
  if (!endgame_time_left(rules, node.quiet_plies) || !table.holds(node.position)) return;
  const EndgameValue value = table.value(node.position);
  const bool proven = value.exact && node.quiet_plies == 0;
  if (!proven && !parameters.table_estimates) return;
  node.table_margin = static_cast<float>(store_seeds(node.position.mover) - store_seeds(node.position.opponent) + value.seeds);
  node.flags = kNodeTable;
  if (!proven) return;
  node.flags |= kNodeProven;
  node.value = table_value(parameters, rules, node).value;
}

// One of 64 bits that stands for a position.
WARI_HD inline std::uint64_t filter_bit(const Position& position) {
  return std::uint64_t{1} << ((position.mover * 0x9e3779b97f4a7c15ULL + position.opponent * 0xd6e8feb86659fd93ULL) >> 58);
}

// Does `position`, reached from node `parent` at `depth` with `quiet_plies` behind it, occur the number of times that ends the game? The path in the tree is walked upwards
// as far as a cycle can reach, then the game's history. Without captures the sides alternate, so only even distances count.
template <class N>
WARI_HD inline bool repeats_on_path(const Rules& rules, const N* nodes, const SearchLane& lane, std::uint32_t parent, int depth, const Position& position, int quiet_plies) {
  const int first = shortest_cycle_plies(rules);
  int missing = rules.repetition_occurrences - 1;
  if (missing < 0 || quiet_plies < first) return false;
  int distance = depth + 1;  // of the root
  if (distance >= first) {
    std::uint32_t at = parent;
    for (int below = 1; below <= quiet_plies; ++below, at = nodes[at].parent) {
      if (below >= first && (below & 1) == 0 && nodes[at].position == position && --missing == 0) return true;
      if (at == 0) break;
    }
    ++distance;
  }
  if ((lane.history_filter[(lane.root_quiet + depth + 1) & 1] & filter_bit(position)) == 0) return false;
  distance = distance < first ? first : distance;
  distance += distance & 1;
  for (; distance <= quiet_plies; distance += 2) {
    if (lane.history[lane.root_quiet + depth + 1 - distance] == position && --missing == 0) return true;
  }
  return false;
}

// Makes the root. Its game is not over.
template <class N>
WARI_HD inline void make_root(N* nodes, const Position& position, std::uint32_t legal, int quiet_plies) {
  N& root = nodes[0];
  root.position = position;
  root.visits = 0;
  root.best_child = 0;
  root.parent = 0;
  root.quiet_plies = static_cast<std::uint16_t>(quiet_plies);
  root.legal = static_cast<std::uint16_t>(legal);
  root.proven_edges = 0;
  root.best_edge = 0;
  root.parent_edge = 0;
  root.flags = 0;
  root.end = static_cast<std::uint8_t>(End::none);
  root.value = 0;
}

// Plays `edge` of node `parent`, which is `depth` moves below the root, and makes node `index` of it. Over: a terminal, proven node with its value; else it waits for its
// evaluation. Of the other nodes it reads only what never changes.
template <class N>
WARI_HD inline void make_node(const SearchParameters& parameters, const Rules& rules, N* nodes, const SearchLane& lane, std::uint32_t index, std::uint32_t parent, int depth, int edge) {
  using Count = typename N::Count;
  const N& above = nodes[parent];
  const Move move = is_plain(rules) ? play_as<true>(*parameters.sowing, rules, above.position, edge) : play(*parameters.sowing, rules, above.position, edge);
  const int quiet_plies = move.captured > 0 ? 0 : above.quiet_plies + 1;
  N& node = nodes[index];
  node.position = move.position;
  node.visits = 0;
  node.best_child = 0;
  node.parent = static_cast<Count>(parent);
  node.quiet_plies = static_cast<std::uint16_t>(quiet_plies);
  node.legal = move.legal;
  node.proven_edges = 0;
  node.best_edge = 0;
  node.parent_edge = static_cast<std::uint8_t>(edge);
  End end = move.end;
  if (end == End::none && rules.quiet_plies != 0 && quiet_plies >= rules.quiet_plies) end = End::quiet;
  if (end == End::none && repeats_on_path(rules, nodes, lane, parent, depth, move.position, quiet_plies)) end = End::repetition;
  node.end = static_cast<std::uint8_t>(end);
  node.flags = 0;
  node.value = 0;
  if (end != End::none) {
    node.flags = kNodeProven | kNodeTerminal;
    node.value = terminal_value(parameters, rules, move.position, end).value;
  } else if (parameters.endgames != nullptr) {
    look_up(parameters, rules, lane, node);
  }
}

// The same for the tree's next node, which its parent learns of.
template <class N>
WARI_HD inline void make_child(const SearchParameters& parameters, const Rules& rules, N* nodes, SearchLane& lane, std::uint32_t parent, int depth, int edge) {
  N& above = nodes[parent];
  const auto index = static_cast<typename N::Count>(lane.node_count++);
  above.child[edge] = index;
  above.best_child = index;
  make_node(parameters, rules, nodes, lane, index, parent, depth, edge);
}

// After an edge's value was proven: is the node's? A win is enough; otherwise every legal edge must be proven, and the best one counts.
template <class N>
WARI_HD inline void prove_node(N& node) {
  float best = -INFINITY;
  for (int e = 0; e < N::kEdges; ++e) {
    const bool proven = (node.proven_edges >> e) & 1;
    if (proven && node.edge_value[e] > best) best = node.edge_value[e];
  }
  if (best > 0 || node.proven_edges == node.legal) {
    node.value = best;
    node.flags |= kNodeProven;
  }
}

// One more visit of `edge` at `node`, with `value` of the node's mover; its next best edge is chosen.
template <class Kernel, class N>
WARI_HD inline void add_visit(const SearchParameters& p, N& node, int edge, float value) {
  using Count = typename N::Count;
  const std::uint32_t edge_visits = node.edge_visits[edge] + 1u;
  const std::uint32_t visits = node.visits + 1u;
  node.edge_visits[edge] = static_cast<Count>(edge_visits);
  node.visits = static_cast<Count>(visits);
  const float mean = node.value + (value - node.value) * reciprocal_at<N>(p, visits);
  node.value = mean;
  const float old_value = node.edge_value[edge];
  const float edge_value = old_value + (value - old_value) * reciprocal_at<N>(p, edge_visits);
  const float urgency = static_cast<float>(node.prior[edge]) * kPriorUnit * reciprocal_at<N>(p, edge_visits + 1u);
  float first_play = mean - p.fpu_reduction;
  first_play = first_play < -1.0f ? -1.0f : first_play;
  const int best = Kernel::update_and_choose(node, edge, edge_value, urgency, exploration_at<N>(p, visits), first_play);
  node.best_edge = static_cast<std::uint8_t>(best);
  node.best_child = node.child[best];
}

// The edge's value became exact: so may the node's.
template <class Kernel, class N>
WARI_HD inline void prove_edge(const SearchParameters& p, N& node, int edge, float value) {
  node.edge_value[edge] = value;
  node.edge_urgency[edge] = 0;
  node.child[edge] |= N::kProvenChild;
  node.proven_edges |= static_cast<std::uint16_t>(1u << edge);
  prove_node(node);
  store_best_edge<Kernel>(p, node);
}

// Adds one simulation to every node and edge from `leaf` up to the root. Values belong to a player: the sign changes where the mover does, not with every ply.
template <class Kernel, class N>
WARI_HD inline void back_up(const SearchParameters& p, N* nodes, SearchLane& lane, std::uint32_t leaf, LeafValue result) {
  float value = result.value;
  float draw = result.draw;
  std::uint32_t at = leaf;
  bool mover = is_north(nodes[leaf].position.mover);
  const bool leaf_mover = mover;
  bool proven = (nodes[leaf].flags & kNodeProven) != 0;
  do {
    const int edge = nodes[at].parent_edge;
    at = nodes[at].parent;
    N& node = nodes[at];
    const bool above = is_north(node.position.mover);
    value = above != mover ? -value : value;
    mover = above;
    add_visit<Kernel>(p, node, edge, value);
    if (!proven) continue;
    prove_edge<Kernel>(p, node, edge, value);
    proven = (node.flags & kNodeProven) != 0;
    if (proven) {
      value = node.value;
      draw = value == 0 ? 1.0f : 0.0f;
    }
  } while (at != 0);
  lane.draw_sum += draw;
  lane.margin_sum += mover == leaf_mover ? result.margin : -result.margin;
  ++lane.simulations;
}

}  // namespace wari
