#pragma once

#include <algorithm>

#include "search/steps.h"

// Two steps for a processor core, over a group of lanes at once: the same work as DescendStep and BackupStep do lane by lane, in an order in which no branch depends on how
// deep a tree is. A wrong guess there costs as much as a level.
namespace wari {

inline constexpr int kLanesOfGroup = 16;  // a group's nodes fit the first-level cache

// Eight lanes go down together, a level at a time; those that have arrived stand still.
template <class N>
struct GroupDescendStep {
  SearchView<N> view;
  static constexpr int kLanesAtOnce = 8;

  void operator()(int index) const { DescendStep<N>{view}(index); }

  void group(int first, int last) const {
    for (; first + kLanesAtOnce <= last; first += kLanesAtOnce) eight(first);
    for (; first < last; ++first) (*this)(first);
  }

 private:
  void eight(int first) const {
    const N* trees[kLanesAtOnce];
    std::uint32_t at[kLanesAtOnce], child[kLanesAtOnce];
    std::int32_t depth[kLanesAtOnce];
    for (int i = 0; i < kLanesAtOnce; ++i) {
      trees[i] = view.tree(first + i);
      at[i] = 0;
      depth[i] = 0;
      // A lane that is not searching stands still; what is written for it nobody reads.
      child[i] = view.lanes[first + i].phase == LanePhase::searching ? trees[i][0].best_child : 0;
      view.paths[(first + i) * kPathKept] = 0;
    }
    bool moved = true;
    for (int level = 1; moved; ++level) {
      std::uint32_t any = 0;
      std::uint32_t* const path = view.paths + first * kPathKept + std::min(level, kPathKept - 1);  // the last place is overwritten: such paths are not used
      for (int i = 0; i < kLanesAtOnce; ++i) {
        const N& next = trees[i][child[i]];  // the root itself where there is no child
        const std::uint32_t down = (child[i] != 0 ? 1u : 0u) & ~static_cast<std::uint32_t>(next.flags) & kNodeProven;
        const std::uint32_t mask = 0u - down;
        path[i * kPathKept] = child[i];
        at[i] = (child[i] & mask) | (at[i] & ~mask);
        depth[i] += static_cast<std::int32_t>(down);
        const auto below = static_cast<std::uint32_t>(next.best_child);
        child[i] = (below & mask) | (child[i] & ~mask);
        any |= down;
      }
      moved = any != 0;
    }
    for (int i = 0; i < kLanesAtOnce; ++i) {
      SearchLane& lane = view.lanes[first + i];
      lane.depth = depth[i];
      lane.parent = at[i];
      lane.child = child[i];
    }
  }
};

// Backs up the leaves of a group: the nodes of all paths become one list, since no node's update waits for another's.
template <class Kernel, class N>
struct GroupBackupStep {
  SearchView<N> view;

  void operator()(int index) const { BackupStep<Kernel, N>{view}(index); }

  void group(int first, int last) const {
    for (; first < last; first += kLanesOfGroup) few(first, std::min(first + kLanesOfGroup, last));
  }

 private:
  struct Visit {
    N* node;
    float value;         // of the leaf's mover
    std::uint32_t north; // the leaf's mover
  };

  void few(int first, int last) const {
    Visit visits[(kLanesOfGroup + 1) * kPathKept];
    int backed_up[kLanesOfGroup];
    int visit_count = 0, lane_count = 0;
    for (int index = first; index < last; ++index) {
      SearchLane& lane = view.lanes[index];
      if (lane.leaf < 0) continue;
      const std::uint32_t* const path = view.paths + index * kPathKept;
      if (lane.phase != LanePhase::searching || path[0] != 0 || lane.depth >= kPathKept - 1) {
        (*this)(index);
        continue;
      }
      N* const nodes = view.tree(index);
      N& leaf = nodes[lane.leaf];
      const float value = view.leaves.value[index];
      leaf.visits = 1;
      leaf.value = value;
      const std::uint32_t north = is_north(leaf.position.mover) ? 1 : 0;
      // Four places are written at a time and the list grows by those that count.
      for (int level = 0; level <= lane.depth; level += 4) {
        for (int i = level; i < level + 4; ++i) visits[visit_count + i] = {nodes + path[i], value, north};
      }
      visit_count += lane.depth + 1;
      backed_up[lane_count++] = index;
    }
    add_visits(visits, visit_count);
    for (int i = 0; i < lane_count; ++i) finish(backed_up[i]);
  }

  void add_visits(const Visit* visits, int count) const {
    const SearchParameters parameters = *view.parameters;
    for (int i = 0; i < count; ++i) {
      N& node = *visits[i].node;
      const std::uint32_t other_side = (is_north(node.position.mover) ? 1u : 0u) ^ visits[i].north;
      const float value = float_from_bits(bits_of_float(visits[i].value) ^ (other_side << 31));
      add_visit<Kernel>(parameters, node, node.best_edge, value);  // the descent took the best edge
    }
  }

  void finish(int index) const {
    const SearchParameters& parameters = *view.parameters;
    const LeafRows& rows = view.leaves;
    SearchLane& lane = view.lanes[index];
    N* const nodes = view.tree(index);
    const bool root_side = is_north(nodes[lane.leaf].position.mover) == is_north(nodes[0].position.mover);
    lane.value_sum += root_side ? rows.value[index] : -rows.value[index];
    lane.draw_sum += rows.draw[index];
    lane.margin_sum += root_side ? rows.margin[index] : -rows.margin[index];
    lane.bad_outputs += rows.bad[index] != 0 && lane.bad_outputs < 255 ? 1 : 0;
    lane.leaf = kNoLeaf;
    ++lane.simulations;
    finish_simulation(parameters, nodes, view.roots[index], lane);
  }
};

}  // namespace wari
