#pragma once

#include <cstddef>
#include <cstdint>

#include "core/moves.h"

namespace wari {

inline constexpr std::uint8_t kNodeProven = 1;    // `value` is exact
inline constexpr std::uint8_t kNodeTerminal = 2;  // the game is over here
inline constexpr std::uint8_t kNodeTable = 4;     // an endgame table knows `table_margin`

// Priors are 16-bit fixed point: `__half` would need CUDA's headers.
inline constexpr float kPriorUnit = 1.0f / 65535.0f;

// A position of the tree with its edges. With six edges and 16-bit counts it is one line pair of 128 bytes: the first 32 bytes hold all that selection reads, the second
// 64 what the choice of the best edge reads. Node 0 is the root, node i is made by the i-th expansion; a parent always has a smaller index than its children.
//
// Edges keep Q and U = P / (1 + N), so that a score is Q + U * c sqrt(n) without a division. The sign of U marks edges without a visit: their Q is the first-play
// urgency, which moves with the node's own value. Illegal edges have Q = -infinity and U = 0; proven ones U = 0, since more visits teach nothing.
template <int EdgeCount, class CountType>
struct alignas(128) Node {
  using Count = CountType;
  static constexpr int kEdges = EdgeCount;

  Position position;
  Count visits;                   // own evaluation and every simulation below
  Count best_child;               // child[best_edge]
  Count parent;
  std::uint16_t quiet_plies;      // plies since the last capture
  std::uint16_t legal;            // mask of actions
  std::uint16_t proven_edges;     // mask: the edge's value is exact
  std::uint8_t best_edge;         // where the next simulation goes
  std::uint8_t parent_edge;
  std::uint8_t flags;             // kNode...
  std::uint8_t end;               // End
  float value;                    // mean over `visits`, of the node's mover; exact if proven
  float table_margin;             // final margin by the endgame table, of the node's mover, in seeds
  std::uint16_t prior[EdgeCount]; // in 1/65535; at least 1 where legal
  Count edge_visits[EdgeCount];
  float edge_value[EdgeCount];    // Q, of this node's mover; 0 without a visit
  float edge_urgency[EdgeCount];  // U = P / (1 + N), negative without a visit
  Count child[EdgeCount];         // 0: not made yet; marked with kProvenChild once the edge's value is exact

  // The mark is the sign: the nodes that a descent may enter are those above 0.
  static constexpr Count kProvenChild = static_cast<Count>(Count{1} << (8 * sizeof(Count) - 1));
  WARI_HD std::uint32_t child_index(int edge) const { return child[edge] & (kProvenChild - 1u); }
};

using NarrowNode6 = Node<6, std::uint16_t>;
using NarrowNode12 = Node<12, std::uint16_t>;
using WideNode6 = Node<6, std::uint32_t>;
using WideNode12 = Node<12, std::uint32_t>;
static_assert(sizeof(NarrowNode6) == 128 && sizeof(NarrowNode12) == 256);
static_assert(offsetof(NarrowNode6, value) == 32 && offsetof(NarrowNode6, edge_value) == 64);

// Simulations that the narrow nodes can count: visits reach one more, and indices stay below the mark.
inline constexpr int kNarrowSimulations = 32000;

}  // namespace wari
