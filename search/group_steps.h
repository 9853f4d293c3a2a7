#pragma once

#include <algorithm>

#include "search/steps.h"

// Two steps for a processor core, over a group of lanes at once: the same work as DescendStep and BackupStep do lane by lane, in an order in which no branch depends on how
// deep one tree is. A wrong guess there costs as much as a level.
namespace wari {

inline constexpr int kLanesOfGroup = 16;  // a group's nodes fit the first-level cache

// The lanes go down together, a level at a time. Each node that is entered joins a list, and the next level is the part of the list that this one added.
template <class N>
struct GroupDescendStep {
  SearchView<N> view;

  void operator()(int index) const { DescendStep<N>{view}(index); }

  void group(int first, int last) const {
    for (; first < last; first += kLanesOfGroup) few(first, std::min(first + kLanesOfGroup, last));
  }

 private:
  struct Arrival {
    std::int32_t depth;
    std::uint32_t parent, child;
  };

  void few(int first, int last) const {
    PathNode* const list = view.paths + static_cast<std::int64_t>(first) * kPathKept;
    const N* trees[kLanesOfGroup];
    Arrival arrivals[kLanesOfGroup];
    std::uint32_t lanes[kLanesOfGroup];
    int searching = 0;
    for (int index = first; index < last; ++index) {
      const auto lane = static_cast<std::uint32_t>(index - first);
      trees[lane] = view.tree(index);
      lanes[searching] = lane;
      list[searching] = {0, lane};
      searching += view.lanes[index].phase == LanePhase::searching ? 1 : 0;
    }
    int begin = 0, end = searching;
    // Who has come to the last level that the list keeps goes on alone.
    for (std::int32_t depth = 0; begin < end && depth < kPathKept - 1; ++depth) {
      for (const int level_end = end; begin < level_end; ++begin) {
        const PathNode at = list[begin];
        const std::uint32_t child = trees[at.lane][at.node].best_child;
        arrivals[at.lane] = {depth, at.node, child};
        list[end] = {child, at.lane};
        end += may_enter<N>(child) ? 1 : 0;
      }
    }
    for (int i = 0; i < searching; ++i) {
      SearchLane& lane = view.lanes[first + static_cast<int>(lanes[i])];
      const Arrival& arrival = arrivals[lanes[i]];
      lane.depth = arrival.depth;
      lane.parent = arrival.parent;
      lane.child = arrival.child & (N::kProvenChild - 1u);
      lane.listed = 1;
    }
    for (; begin < end; ++begin) descend(trees[list[begin].lane], view.lanes[first + static_cast<int>(list[begin].lane)]);
    view.path_nodes[first] = end;
  }
};

// Backs up the leaves of a group along the list that its descent made: no node's update waits for another's.
template <class Kernel, class N>
struct GroupBackupStep {
  SearchView<N> view;

  void operator()(int index) const { BackupStep<Kernel, N>{view}(index); }

  void group(int first, int last) const {
    for (; first < last; first += kLanesOfGroup) few(first, std::min(first + kLanesOfGroup, last));
  }

 private:
  // A lane of the group as the list's nodes need it.
  struct Listed {
    N* tree;
    std::uint32_t value;   // bits of the leaf's value, seen by South
    std::uint32_t counts;  // 0: no leaf, or not one that this list led to
  };

  void few(int first, int last) const {
    Listed lanes[kLanesOfGroup] = {};  // the list may still name lanes of an earlier batch of searches that had more
    for (int index = first; index < last; ++index) lanes[index - first] = begin_lane(index);
    add_visits(lanes, view.paths + static_cast<std::int64_t>(first) * kPathKept, view.path_nodes[first]);
    for (int index = first; index < last; ++index) {
      if (lanes[index - first].counts != 0) finish(index);
    }
  }

  Listed begin_lane(int index) const {
    const SearchLane& lane = view.lanes[index];
    N* const tree = view.tree(index);
    if (lane.leaf < 0) return {tree, 0, 0};
    if (lane.phase != LanePhase::searching || lane.listed == 0) {
      (*this)(index);
      return {tree, 0, 0};
    }
    N& leaf = tree[lane.leaf];
    const float value = view.leaves.value[index];
    leaf.visits = 1;
    leaf.value = value;
    return {tree, bits_of_float(value) ^ sign_of_mover(leaf.position), 1};
  }

  // What turns a value of the player to move into South's, and back.
  static std::uint32_t sign_of_mover(const Position& position) { return static_cast<std::uint32_t>(is_north(position.mover)) << 31; }

  void add_visits(const Listed* lanes /* of the group */, const PathNode* list, int count) const {
    const SearchParameters parameters = *view.parameters;
    for (int i = 0; i < count; ++i) {
      const Listed& lane = lanes[list[i].lane];
      if (lane.counts == 0) [[unlikely]] continue;
      N& node = lane.tree[list[i].node];
      add_visit<Kernel>(parameters, node, node.best_edge, float_from_bits(lane.value ^ sign_of_mover(node.position)));  // the descent took the best edge
    }
  }

  void finish(int index) const {
    const LeafRows& rows = view.leaves;
    SearchLane& lane = view.lanes[index];
    N* const nodes = view.tree(index);
    const bool root_side = is_north(nodes[lane.leaf].position.mover) == is_north(nodes[0].position.mover);
    lane.draw_sum += rows.draw[index];
    lane.margin_sum += root_side ? rows.margin[index] : -rows.margin[index];
    if (rows.bad[index] != 0) [[unlikely]] lane.bad_outputs += lane.bad_outputs < 255 ? 1 : 0;
    lane.leaf = kNoLeaf;
    ++lane.simulations;
    finish_simulation(*view.parameters, nodes, view.roots[index], lane);
  }
};

}  // namespace wari
