#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "search/node.h"

// A tree that is carried on: the nodes that stay move together, in their order, so that a parent keeps a smaller index than its children.
namespace wari {

// What was said of a node when it was made, of its mover. The tree needs only its value; this is for reports, and lies beside the nodes.
struct Opinion {
  float draw = 0;    // probability
  float margin = 0;  // as a share of all seeds
};

struct KeptNodes {
  std::uint32_t count = 0;
  double draw = 0, margin = 0;  // sums of their opinions, as the mover of the new root sees them
};

// Makes node `top` the root and keeps of the nodes below it those with at least `least_visits`. A parent always has more visits than its child, so what stays
// hangs together. Edges keep their visits and values; where the child goes, a later visit makes it anew.
template <class N>
KeptNodes keep_nodes(N* nodes, Opinion* opinions, std::uint32_t count, std::uint32_t top, std::uint32_t least_visits) {
  using Count = typename N::Count;
  constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> places(count - top, kGone);  // new indices of the nodes from `top` on
  KeptNodes kept;
  const bool root_mover = is_north(nodes[top].position.mover);
  for (std::uint32_t index = top; index < count; ++index) {
    std::uint32_t parent = 0;
    if (index != top) {
      if (nodes[index].parent < top) continue;
      parent = places[nodes[index].parent - top];
      if (parent == kGone) continue;
      const int edge = nodes[index].parent_edge;
      const bool stays = nodes[index].visits >= least_visits;
      N& above = nodes[parent];
      above.child[edge] = static_cast<Count>((above.child[edge] & N::kProvenChild) | (stays ? kept.count : 0));
      if (above.best_edge == edge) above.best_child = above.child[edge];
      if (!stays) continue;
    }
    if (index != kept.count) nodes[kept.count] = nodes[index];
    nodes[kept.count].parent = static_cast<Count>(parent);
    opinions[kept.count] = opinions[index];
    kept.draw += opinions[index].draw;
    kept.margin += is_north(nodes[kept.count].position.mover) == root_mover ? opinions[kept.count].margin : -opinions[kept.count].margin;
    places[index - top] = kept.count++;
  }
  return kept;
}

}  // namespace wari
