#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/random.h"
#include "search/exact_math.h"
#include "search/play_step.h"

// Everything that a lane of self-play holds, field by field: what two engines must agree on after every wave. One list, so that the checksum that a device takes and the names that a
// person reads cannot differ. Left out is what means nothing: edges of a node that waits for its evaluation, and what only one executor uses.
namespace wari {

// The memory of one lane.
template <class N>
struct LaneMemory {
  const SearchLane& lane;
  const PlayLane& play_lane;
  const RootData<N::kEdges>& root;
  const N* nodes;                  // [lane.node_count]
  const Position* history;         // [lane.root_quiet + 1]
  const Token* tokens;             // [kBoardTokens] of the lane's row; null if the evaluator reads none
};

// visit(name, node, place, value): `node` is -1 for what is the lane's, `place` the edge or place in an array, -1 for a single number; value is a float or an integer.
template <class N, class Visit>
WARI_HD inline void visit_node(const N& node, int index, Visit& visit) {
  visit("position.mover", index, -1, node.position.mover);
  visit("position.opponent", index, -1, node.position.opponent);
  visit("visits", index, -1, node.visits);
  visit("parent", index, -1, node.parent);
  visit("quiet_plies", index, -1, node.quiet_plies);
  visit("legal", index, -1, node.legal);
  visit("proven_edges", index, -1, node.proven_edges);
  visit("parent_edge", index, -1, node.parent_edge);
  visit("flags", index, -1, node.flags);
  visit("end", index, -1, node.end);
  visit("value", index, -1, node.value);
  if (node.visits == 0 || (node.flags & kNodeTerminal) != 0) return;
  visit("best_edge", index, -1, node.best_edge);
  visit("best_child", index, -1, node.best_child);
  for (int e = 0; e < N::kEdges; ++e) {
    if (((node.legal >> e) & 1) == 0) continue;
    visit("prior", index, e, node.prior[e]);
    visit("edge_visits", index, e, node.edge_visits[e]);
    visit("edge_value", index, e, node.edge_value[e]);
    visit("edge_urgency", index, e, node.edge_urgency[e]);
    visit("child", index, e, node.child[e]);
  }
}

template <class N, class Visit>
WARI_HD inline void visit_search(const LaneMemory<N>& memory, Visit& visit) {
  const SearchLane& lane = memory.lane;
  visit("budget", -1, -1, lane.budget);
  visit("simulations", -1, -1, lane.simulations);
  visit("node_count", -1, -1, lane.node_count);
  visit("leaf", -1, -1, lane.leaf);
  visit("noisy", -1, -1, lane.noisy ? 1 : 0);
  visit("bad_outputs", -1, -1, lane.bad_outputs);
  visit("history_filter", -1, 0, lane.history_filter[0]);
  visit("history_filter", -1, 1, lane.history_filter[1]);
  for (int node = 0; node < lane.node_count; ++node) visit_node(memory.nodes[node], node, visit);
  if (memory.tokens != nullptr && lane.leaf >= 0) {
    for (int i = 0; i < kBoardTokens; ++i) visit("token", -1, i, memory.tokens[i]);
  }
  if (lane.phase == LanePhase::root) return;
  visit("draw_sum", -1, -1, lane.draw_sum);
  visit("margin_sum", -1, -1, lane.margin_sum);
  visit("halving.considered_visit", -1, -1, lane.halving.considered_visit);
  visit("halving.rounds_left", -1, -1, lane.halving.rounds_left);
  visit("halving.considered", -1, -1, lane.halving.considered);
  visit("halving.left", -1, -1, lane.halving.left);
  visit("network_value", -1, -1, memory.root.network_value);
  for (int e = 0; e < N::kEdges; ++e) {
    if (((memory.nodes[0].legal >> e) & 1) == 0) continue;
    visit("root.logit", -1, e, memory.root.logit[e]);
    visit("root.prior", -1, e, memory.root.prior[e]);
  }
}

template <class N, class Visit>
WARI_HD inline void visit_lane(const LaneMemory<N>& memory, Visit& visit) {
  const SearchLane& lane = memory.lane;
  const PlayLane& play_lane = memory.play_lane;
  visit("phase", -1, -1, static_cast<std::uint8_t>(lane.phase));
  visit("games", -1, -1, play_lane.games);
  visit("moves", -1, -1, play_lane.moves);
  visit("simulations of moves", -1, -1, play_lane.simulations);
  visit("bad_outputs of moves", -1, -1, play_lane.bad_outputs);
  if (lane.phase == LanePhase::idle) return;
  visit("game", -1, -1, lane.game);
  visit("ply", -1, -1, lane.ply);
  visit("rules_index", -1, -1, lane.rules_index);
  visit("opening_plies", -1, -1, play_lane.opening_plies);
  visit("root_quiet", -1, -1, lane.root_quiet);
  visit("legal", -1, -1, play_lane.legal);
  for (int place = 0; place <= lane.root_quiet; ++place) {
    visit("history.mover", -1, place, memory.history[place].mover);
    visit("history.opponent", -1, place, memory.history[place].opponent);
  }
  if (lane.phase == LanePhase::fresh) return;
  visit("full", -1, -1, play_lane.full);
  visit_search(memory, visit);
}

// A field as it is found.
struct RawField {
  const char* name = nullptr;
  std::int32_t node = -1, place = -1;
  std::uint64_t bits = 0;
  bool is_float = false;
};

WARI_HD inline std::uint64_t field_bits(float value) { return bits_of_float(value); }
WARI_HD inline std::uint64_t field_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
WARI_HD inline std::uint64_t field_bits(std::uint64_t value) { return value; }
WARI_HD inline std::uint64_t field_bits(std::int32_t value) { return static_cast<std::uint64_t>(std::int64_t{value}); }
WARI_HD inline std::uint64_t field_bits(std::uint32_t value) { return value; }

struct FieldHash {
  std::uint64_t sum = 0;

  template <class Value>
  WARI_HD void operator()(const char*, int, int, Value value) { sum = mix64((sum + 0x9e3779b97f4a7c15ULL) ^ field_bits(value)); }
};

// Counts the fields, and writes them down where there is room. (Nothing of the host alone: nvcc wants visitors that both sides could run.)
struct FieldWriter {
  RawField* fields = nullptr;
  std::size_t count = 0;

  template <class Value>
  WARI_HD void operator()(const char* name, int node, int place, Value value) {
    if (fields != nullptr) fields[count] = {name, node, place, field_bits(value), std::is_floating_point_v<Value>};
    ++count;
  }
};

// A number for all fields of each lane.
template <class N>
struct ChecksumStep {
  TurnStep<N> turn;
  std::uint64_t* checksums;  // [lanes]

  WARI_HD void operator()(int index) const {
    const SearchView<N>& view = turn.view;
    const Token* const tokens = view.leaves.tokens == nullptr ? nullptr : view.leaves.tokens + static_cast<std::int64_t>(index) * kBoardTokens;
    FieldHash hash;
    visit_lane(LaneMemory<N>{view.lanes[index], turn.play_lanes[index], view.roots[index], view.tree(index), turn.lane_history(index), tokens}, hash);
    checksums[index] = hash.sum;
  }
};

}  // namespace wari
