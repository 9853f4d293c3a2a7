#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "train/inference/folded_network.h"

namespace wari {

// How the activations of a tile of positions lie in memory, in both arithmetics: [rows, slots, pitch] elements.
// `mlp` has one slot. `conv` has fourteen: pit 11 again, pits 0..11, pit 0 again. So the three pits that an output pit looks at are 3 * pitch neighbouring elements, and a
// convolution is a matrix product whose rows overlap.
struct TrunkLayout {
  TrunkKind kind = TrunkKind::mlp;
  int width = 0;   // units or channels of the network
  int pitch = 0;   // width rounded up to kWidthStep; the rest stays zero
  int layers = 0;  // matrices between the first layer and the head

  static constexpr int kWidthStep = 32;
  explicit TrunkLayout(const FoldedNetwork& network)
      : kind(network.kind), width(network.width), pitch((network.width + kWidthStep - 1) / kWidthStep * kWidthStep), layers(network.layer_count()) {}

  bool conv() const { return kind == TrunkKind::conv; }
  int slots() const { return conv() ? kPitTokens + 2 : 1; }
  int row_elements() const { return slots() * pitch; }
  int first_slot() const { return conv() ? pitch : 0; }  // offset of the first true pit
  int layer_inputs() const { return conv() ? 3 * pitch : pitch; }
  int head_inputs() const { return conv() ? kPitTokens * pitch : pitch; }
};

// The kernels work on groups of six rows at equal distances: six positions of an `mlp`, one side of the circle of a `conv`, six positions at the head.
inline constexpr int kGroupRows = 6;

// Which rows a matrix product reads and writes; distances in elements. Group g starts at (g / groups_per_row) * row_distance + (g % groups_per_row) * kGroupRows * slot_distance.
struct GroupPlan {
  int groups = 0;
  int groups_per_row = 1;
  std::ptrdiff_t row_distance = 0;
  std::ptrdiff_t distance = 0;  // between the rows of a group

  std::ptrdiff_t offset(int group) const { return group / groups_per_row * row_distance + group % groups_per_row * kGroupRows * distance; }
};

inline GroupPlan layer_plan(const TrunkLayout& layout, int rows) {
  if (layout.conv()) return {rows * (kPitTokens / kGroupRows), kPitTokens / kGroupRows, layout.row_elements(), layout.pitch};
  return {(rows + kGroupRows - 1) / kGroupRows, 1, std::ptrdiff_t{kGroupRows} * layout.pitch, layout.pitch};
}

inline GroupPlan head_plan(const TrunkLayout& layout, int rows) {
  return {(rows + kGroupRows - 1) / kGroupRows, 1, std::ptrdiff_t{kGroupRows} * layout.row_elements(), layout.row_elements()};
}

template <class Element>
void copy_halo(const TrunkLayout& layout, int rows, Element* activations) {
  if (!layout.conv()) return;
  const std::size_t bytes = static_cast<std::size_t>(layout.pitch) * sizeof(Element);
  for (int row = 0; row < rows; ++row) {
    Element* slots = activations + static_cast<std::ptrdiff_t>(row) * layout.row_elements();
    std::memcpy(slots, slots + kPitTokens * layout.pitch, bytes);
    std::memcpy(slots + (kPitTokens + 1) * layout.pitch, slots + layout.pitch, bytes);
  }
}

// The forward pass of one tile, the same for both arithmetics. `x` and `y` hold a tile of activations each. `seen(stage, activations)` is told every stage's result:
// 0 is the first layer's, i + 1 that of layer i. `outputs` has room for whole groups: [rows rounded up to kGroupRows, kNetworkOutputs].
template <class Kernels, class Element, class Seen>
void run_tile(Kernels& kernels, const TrunkLayout& layout, const Token* tokens, int rows, Element* x, Element* y, float* outputs, const Seen& seen) {
  kernels.embed(tokens, rows, x);
  copy_halo(layout, rows, x);
  seen(0, x);
  const GroupPlan plan = layer_plan(layout, rows);
  for (int layer = 0; layer < layout.layers; ++layer) {
    const bool opens_block = layout.conv() && layer % 2 == 0;
    const bool closes_block = layout.conv() && layer % 2 == 1;
    // A convolution that closes a block reads y and adds to x in place; all others read x and write y.
    Element* in = closes_block ? y : x;
    Element* out = closes_block ? x : y;
    kernels.layer(layer, plan, in, opens_block ? nullptr : x, out);
    copy_halo(layout, rows, out);
    seen(layer + 1, out);
    if (!layout.conv()) std::swap(x, y);
  }
  kernels.head(head_plan(layout, rows), x, outputs);
}

}  // namespace wari
