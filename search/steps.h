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
};

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
  WARI_HD NodeType* tree(int lane) const { return nodes + lane * node_stride; }
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
  lane.node_count = 1;
  lane.simulations = 0;
  lane.bad_outputs = 0;
  lane.leaf = 0;
  lane.phase = LanePhase::root;
}

// Takes the evaluation of the lane's leaf, opens the node and backs it up.
template <class Kernel, class N>
struct ApplyStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.leaf < 0) return;
    const SearchParameters& parameters = *view.parameters;
    N* const nodes = view.tree(index);
    RootData<N::kEdges>& data = view.roots[index];
    const float* const outputs = view.leaves.outputs + static_cast<std::int64_t>(index) * kOutputs;
    const auto leaf = static_cast<std::uint32_t>(lane.leaf);
    lane.leaf = kNoLeaf;
    if (lane.phase == LanePhase::root) {
      if (!open_root<Kernel>(parameters, nodes[0], data, lane, outputs)) ++lane.bad_outputs;
      lane.phase = LanePhase::searching;
      check_spent(nodes, lane);
      return;
    }
    LeafValue value;
    if (!open_node<Kernel>(parameters, nodes[leaf], outputs, value)) lane.bad_outputs += lane.bad_outputs < 255 ? 1 : 0;
    back_up<Kernel>(parameters, nodes, lane, leaf, value, !parameters.gumbel);
    finish_simulation(parameters, nodes, data, lane);
  }
};

// Tries in a wave whose leaf was terminal or proven and is backed up at once.
inline constexpr int kTriesPerWave = 3;

// Finds the next leaf: down the stored best edges, one move played. Terminal and proven leaves are backed up and selection is tried again at once.
template <class Kernel, class N>
struct SelectStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.phase != LanePhase::searching) return;
    for (int attempt = 0; attempt < kTriesPerWave && lane.phase == LanePhase::searching; ++attempt) {
      if (try_once(index, lane)) return;
    }
  }

  // True if the lane has a leaf for the evaluator.
  WARI_HD bool try_once(int index, SearchLane& lane) const {
    const SearchParameters& parameters = *view.parameters;
    N* const nodes = view.tree(index);
    std::uint32_t at = 0;
    std::uint32_t child = nodes[0].best_child;
    while (child != 0 && (nodes[child].flags & kNodeProven) == 0) {
      at = child;
      child = nodes[at].best_child;
    }
    if (child == 0) {
      if (lane.node_count >= lane.node_capacity) {
        lane.phase = LanePhase::spent;  // the tree is full: what was found so far stands
        return false;
      }
      child = static_cast<std::uint32_t>(lane.node_count);
      make_child(parameters, parameters.rules[lane.rules_index], nodes, lane, at, nodes[at].best_edge);
    }
    const N& leaf = nodes[child];
    if ((leaf.flags & kNodeProven) == 0) {
      lane.leaf = static_cast<std::int32_t>(child);
      return true;
    }
    back_up<Kernel>(parameters, nodes, lane, child, known_value(parameters, leaf, lane), !parameters.gumbel);
    finish_simulation(parameters, nodes, view.roots[index], lane);
    return false;
  }

  WARI_HD static LeafValue known_value(const SearchParameters& parameters, const N& leaf, const SearchLane& lane) {
    if ((leaf.flags & kNodeTerminal) != 0) return terminal_value(parameters, parameters.rules[lane.rules_index], leaf.position, static_cast<End>(leaf.end));
    return {leaf.value, leaf.value == 0 ? 1.0f : 0.0f, 0.0f};
  }
};

// Writes the lane's leaf into its row of the batch.
template <class N>
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
      encode_board(*parameters.sowing, parameters.rules[lane.rules_index], leaf.position, leaf.quiet_plies, rows.tokens + static_cast<std::int64_t>(index) * kBoardTokens);
    }
  }
};

}  // namespace wari
