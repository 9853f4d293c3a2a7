#pragma once

#include <algorithm>
#include <cstddef>

#include "search/steps.h"

// Two steps for a processor core, over a group of lanes at once: the same work as DescendStep and BackupStep do lane by lane, in an order in which no branch depends on how
// deep one tree is. A wrong guess there costs as much as a level.
namespace wari {

inline constexpr int kLanesOfGroup = 16;  // a group's nodes fit the first-level cache

// A node that a descent came to, in one word: the address of the node (its low bits are zero), its lane's place in the group, and the depth.
struct PathNode {
  static constexpr int kDepthShift = 48;
  static constexpr std::uint64_t kLaneMask = kLanesOfGroup - 1;
  static constexpr std::uint64_t kAddressMask = ((std::uint64_t{1} << kDepthShift) - 1) & ~std::uint64_t{127};

  template <class N>
  static std::uint64_t root(const N* tree, int lane) {
    static_assert(alignof(N) == 128 && kLanesOfGroup <= 128);
    return reinterpret_cast<std::uint64_t>(tree) + static_cast<std::uint64_t>(lane);
  }
  template <class N>
  static N* node(std::uint64_t word) {
    return reinterpret_cast<N*>(word & kAddressMask);
  }
  static std::size_t lane(std::uint64_t word) { return word & kLaneMask; }
  static std::int32_t depth(std::uint64_t word) { return static_cast<std::int32_t>(word >> kDepthShift); }
};

// The lanes go down together, a level at a time. Each node that is entered joins a list, and the next level is the part of the list that this one added.
template <class N>
struct GroupDescendStep {
  SearchView<N> view;

  void operator()(int index) const { DescendStep<N>{view}(index); }

  void group(int first, int last) const {
    for (; first < last; first += kLanesOfGroup) few(first, std::min(first + kLanesOfGroup, last));
  }

 private:
  void few(int first, int last) const {
    std::uint64_t* const list = view.paths + static_cast<std::int64_t>(first) * kPathKept;
    std::uint64_t roots[kLanesOfGroup];
    std::uint64_t arrivals[kLanesOfGroup];  // the last node of each lane
    int end = 0;
    for (int index = first; index < last; ++index) {
      const int lane = index - first;
      roots[lane] = list[end] = PathNode::root(view.tree(index), lane);
      end += view.lanes[index].phase == LanePhase::searching ? 1 : 0;
    }
    const int searching = end;
    int begin = 0;
    // Who has come to the last level that the list keeps goes on alone.
    for (std::uint64_t depth = 1; begin < end && depth < kPathKept; ++depth) {
      for (const int level_end = end; begin < level_end; ++begin) {
        const std::uint64_t at = list[begin];
        const std::uint32_t child = PathNode::node<const N>(at)->best_child;
        const std::size_t lane = PathNode::lane(at);
        arrivals[lane] = at;
        list[end] = roots[lane] + child * sizeof(N) + (depth << PathNode::kDepthShift);
        end += may_enter<N>(child) ? 1 : 0;
      }
    }
    for (int i = 0; i < searching; ++i) {
      const std::size_t place = PathNode::lane(list[i]);
      const N* const node = PathNode::node<const N>(arrivals[place]);
      SearchLane& lane = view.lanes[first + static_cast<int>(place)];
      lane.depth = PathNode::depth(arrivals[place]);
      lane.parent = static_cast<std::uint32_t>(node - PathNode::node<const N>(roots[place]));
      lane.child = node->best_child & (N::kProvenChild - 1u);
      lane.listed = 1;
    }
    for (; begin < end; ++begin) {
      const int index = first + static_cast<int>(PathNode::lane(list[begin]));
      descend(view.tree(index), view.lanes[index]);
    }
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
    if (lane.leaf < 0) return {0, 0};
    if (lane.phase != LanePhase::searching || lane.listed == 0) {
      (*this)(index);
      return {0, 0};
    }
    N& leaf = view.tree(index)[lane.leaf];
    prefer_table(view, index, leaf);
    const float value = view.leaves.value[index];
    leaf.visits = 1;
    leaf.value = value;
    return {bits_of_float(value) ^ sign_of_mover(leaf.position), 1};
  }

  // What turns a value of the player to move into South's, and back.
  static std::uint32_t sign_of_mover(const Position& position) { return static_cast<std::uint32_t>(position.mover >> kOwnerShift) << 31; }

  void add_visits(const Listed* lanes /* of the group */, const std::uint64_t* list, int count) const {
    const SearchParameters parameters = *view.parameters;
    for (int i = 0; i < count; ++i) {
      const Listed& lane = lanes[PathNode::lane(list[i])];
      if (lane.counts == 0) [[unlikely]] continue;
      N& node = *PathNode::node<N>(list[i]);
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
