#pragma once

#include "core/tokens.h"
#include "search/root.h"

// The steps of a wave as functors: one call touches one lane and nothing else, so lanes may run in any order, on any number of cores, or as threads of a kernel.
namespace wari {

// One wave's leaves and what the evaluator answers; row = lane.
struct LeafRows {
  Position* positions = nullptr;         // [lanes]
  std::uint16_t* quiet_plies = nullptr;  // [lanes]
  std::uint8_t* rules_index = nullptr;   // [lanes]
  std::uint8_t* active = nullptr;        // [lanes]
  Token* tokens = nullptr;               // [lanes, kBoardTokens]; null if the evaluator reads none
  const float* outputs = nullptr;        // [lanes, kOutputs]
  // What the opening of the leaves made of the outputs.
  float* value = nullptr;                // [lanes], of the leaf's mover
  float* draw = nullptr;                 // [lanes]
  float* margin = nullptr;               // [lanes]
  std::uint8_t* bad = nullptr;           // [lanes], 1: the outputs were not finite
};

// Levels of a descent that executors remember which back up all levels of a group of lanes in one go.
inline constexpr int kPathKept = 32;

// Everything that the steps of a search work on.
template <class NodeType>
struct SearchView {
  using N = NodeType;
  const SearchParameters* parameters = nullptr;
  SearchLane* lanes = nullptr;                  // [lanes]
  RootData<NodeType::kEdges>* roots = nullptr;  // [lanes]
  NodeType* nodes = nullptr;                    // [lanes, node_stride]
  std::int64_t node_stride = 0;
  LeafRows leaves;
  std::uint64_t* paths = nullptr;               // [lanes, kPathKept] nodes of a group's last descents, level by level (PathNode); null where nobody reads them
  std::int32_t* path_nodes = nullptr;           // [lanes] how many there are, at the place of the group's first lane
  WARI_HD NodeType* tree(int lane) const { return nodes + lane * node_stride; }
};

// Asks for what the next steps will touch in a lane, as far as it pays: the leaf and the node to be made. Changes nothing.
template <class N>
struct PrefetchStep {
  SearchView<N> view;

  WARI_HD void operator()([[maybe_unused]] int index) const {
#ifndef __CUDA_ARCH__
    asm volatile("");  // gcc takes a function that only prefetches for one without effect and drops its calls
    const SearchLane& lane = view.lanes[index];
    const N* const nodes = view.tree(index);
    const auto* const leaf = reinterpret_cast<const char*>(nodes + (lane.leaf < 0 ? 0 : lane.leaf));
    const auto* const next = reinterpret_cast<const char*>(nodes + (lane.node_count < lane.node_capacity ? lane.node_count : 0));  // to be made
    for (int line = 0; line < 128; line += 64) {
      __builtin_prefetch(leaf + line);
      __builtin_prefetch(next + line, 1);
    }
#endif
  }
};

// Searches that ended need no leaf: their lane waits for its result to be taken.
template <class N>
WARI_HD inline void check_spent(const N* nodes, SearchLane& lane) {
  if (lane.simulations >= lane.budget || (nodes[0].flags & kNodeProven) != 0) lane.phase = LanePhase::spent;
}

// After a backup: the halving moves on, and the root's next edge is chosen.
template <class N>
WARI_HD inline void finish_simulation(const SearchParameters& parameters, N* nodes, const RootData<N::kEdges>& data, SearchLane& lane) {
  check_spent(nodes, lane);
  if (!parameters.gumbel || lane.phase == LanePhase::spent) return;
  lane.halving.advance(lane.budget);
  store_considered_edge(parameters, nodes[0], data, lane.halving);
}

// Makes a lane's root and offers it as this wave's leaf.
template <class N>
WARI_HD inline void begin_search(const SearchView<N>& view, int index, const Position& position, std::uint32_t legal) {
  SearchLane& lane = view.lanes[index];
  make_root(view.tree(index), position, legal, lane.root_quiet);
  lane.history_filter[0] = lane.history_filter[1] = 0;
  for (int place = 0; place <= lane.root_quiet; ++place) lane.history_filter[place & 1] |= filter_bit(lane.history[place]);
  lane.node_count = 1;
  lane.simulations = 0;
  lane.bad_outputs = 0;
  lane.leaf = 0;
  lane.phase = LanePhase::root;
}

// Opens the node of the lane's leaf: priors on its edges, and its value.
template <class Kernel, class N>
struct OpenStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    const std::int32_t leaf = view.lanes[index].leaf;
    if (leaf >= 0) open(index, view.tree(index)[leaf]);
  }

  WARI_HD void open(int index, N& node) const {
    LeafValue value;
    const LeafRows& rows = view.leaves;
    rows.bad[index] = open_node<Kernel>(*view.parameters, node, rows.outputs + static_cast<std::int64_t>(index) * kOutputs, value) ? 0 : 1;
    rows.value[index] = value.value;
    rows.draw[index] = value.draw;
    rows.margin[index] = value.margin;
  }
};

// What an endgame table knows of the lane's leaf takes the place of what the evaluator thinks of it.
template <class N>
WARI_HD inline void prefer_table(const SearchView<N>& view, int index, const N& leaf) {
  if ((leaf.flags & kNodeTable) == 0) [[likely]] return;
  const SearchParameters& parameters = *view.parameters;
  const LeafValue value = table_value(parameters, parameters.rules[view.lanes[index].rules_index], leaf);
  view.leaves.value[index] = value.value;
  view.leaves.draw[index] = value.draw;
  view.leaves.margin[index] = value.margin;
}

// Backs up the lane's leaf, or begins the search of a root.
template <class Kernel, class N>
struct BackupStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.leaf < 0) return;
    const SearchParameters& parameters = *view.parameters;
    const LeafRows& rows = view.leaves;
    N* const nodes = view.tree(index);
    const auto leaf = static_cast<std::uint32_t>(lane.leaf);
    prefer_table(view, index, nodes[leaf]);
    const LeafValue value{rows.value[index], rows.draw[index], rows.margin[index]};
    lane.leaf = kNoLeaf;
    if (rows.bad[index] != 0) lane.bad_outputs += lane.bad_outputs < 255 ? 1 : 0;
    nodes[leaf].visits = 1;
    nodes[leaf].value = value.value;
    if (lane.phase == LanePhase::root) {
      begin_root<Kernel>(parameters, nodes[0], view.roots[index], lane, value, rows.outputs + static_cast<std::int64_t>(index) * kOutputs, rows.bad[index] == 0);
      lane.phase = LanePhase::searching;
      check_spent(nodes, lane);
      return;
    }
    back_up<Kernel>(parameters, nodes, lane, leaf, value);
    finish_simulation(parameters, nodes, view.roots[index], lane);
  }
};

// Tries in a wave whose leaf was terminal or proven and is backed up at once.
inline constexpr int kTriesPerWave = 3;

// Is this best_child a node that is neither to be made nor proven?
template <class N>
WARI_HD inline bool may_enter(std::uint32_t best_child) {
  return best_child - 1u < N::kProvenChild - 1u;
}

// Goes down the stored best edges to where a node must be made or is proven.
template <class N>
WARI_HD inline void descend(const N* nodes, SearchLane& lane) {
  std::uint32_t at = 0;
  std::uint32_t child = nodes[0].best_child;
  std::int32_t depth = 0;
  while (may_enter<N>(child)) {
    at = child;
    child = nodes[at].best_child;
    ++depth;
  }
  lane.depth = depth;
  lane.parent = at;
  lane.child = child & (N::kProvenChild - 1u);
  lane.listed = 0;
}

// The descent of every lane by itself: a chase of pointers, of which a processor overlaps several.
template <class N>
struct DescendStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.phase != LanePhase::searching) return;
    descend(view.tree(index), lane);
  }
};

// Makes the next leaf where the descent stopped. Terminal and proven leaves are backed up and selection is tried again at once.
template <class Kernel, class N>
struct ExpandStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.phase != LanePhase::searching) return;
    N* const nodes = view.tree(index);
    for (int attempt = 1; !expand(index, nodes, lane); ++attempt) {
      if (attempt == kTriesPerWave || lane.phase != LanePhase::searching) return;
      descend(nodes, lane);
    }
  }

  // True if the lane has a leaf for the evaluator.
  WARI_HD bool expand(int index, N* nodes, SearchLane& lane) const {
    const SearchParameters& parameters = *view.parameters;
    std::uint32_t child = lane.child;
    if (child == 0) {
      if (lane.node_count >= lane.node_capacity) {
        lane.phase = LanePhase::spent;  // the tree is full: what was found so far stands
        return false;
      }
      child = static_cast<std::uint32_t>(lane.node_count);
      make_child(parameters, parameters.rules[lane.rules_index], nodes, lane, lane.parent, lane.depth, nodes[lane.parent].best_edge);
    }
    const N& leaf = nodes[child];
    if ((leaf.flags & kNodeProven) == 0) {
      lane.leaf = static_cast<std::int32_t>(child);
      return true;
    }
    back_up<Kernel>(parameters, nodes, lane, child, known_value(parameters, leaf, lane));
    finish_simulation(parameters, nodes, view.roots[index], lane);
    return false;
  }

  WARI_HD static LeafValue known_value(const SearchParameters& parameters, const N& leaf, const SearchLane& lane) {
    const Rules& rules = parameters.rules[lane.rules_index];
    if ((leaf.flags & kNodeTerminal) != 0) return terminal_value(parameters, rules, leaf.position, static_cast<End>(leaf.end));
    if ((leaf.flags & (kNodeTable | kNodeProven)) == (kNodeTable | kNodeProven) && leaf.visits == 0) return table_value(parameters, rules, leaf);
    return {leaf.value, leaf.value == 0 ? 1.0f : 0.0f, 0.0f};
  }
};

// The tokens of a position by the scalar loop.
struct PlainEncoder {
  WARI_HD static void encode(const SowingTables& tables, const Rules& rules, const Position& position, int quiet_plies, Token* tokens /* [kBoardTokens] */) {
    encode_board(tables, rules, position, quiet_plies, tokens);
  }
};

// Writes the lane's leaf into its row of the batch.
template <class Encoder, class N>
struct EncodeStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    const SearchLane& lane = view.lanes[index];
    const LeafRows& rows = view.leaves;
    rows.active[index] = lane.leaf >= 0 ? 1 : 0;
    if (lane.leaf < 0) return;
    const SearchParameters& parameters = *view.parameters;
    const N& leaf = view.tree(index)[lane.leaf];
    rows.positions[index] = leaf.position;
    rows.quiet_plies[index] = leaf.quiet_plies;
    rows.rules_index[index] = lane.rules_index;
    if (rows.tokens != nullptr) {
      Encoder::encode(*parameters.sowing, parameters.rules[lane.rules_index], leaf.position, leaf.quiet_plies, rows.tokens + static_cast<std::int64_t>(index) * kBoardTokens);
    }
  }
};

}  // namespace wari
