#pragma once

#include <cstdint>

#include "core/portability.h"

namespace wari {

inline constexpr int kPits = 6;         // pits of one row
inline constexpr int kActions = 12;     // 0..5: pit (captures if a capture is due); 6..11: pit, capture declined (`capture: optional`)
inline constexpr int kMaxSeeds = 72;    // Short Wari

// One player's side in one 64-bit word, a byte each: six pits in sowing order (bits 0..47), the store (48..55), the owner (56..63: 0 South, 1 North).
// Counts stay below 128, so sowing is plain integer addition that never carries between bytes.
using Row = std::uint64_t;

inline constexpr Row kPitsMask = 0x0000'ffff'ffff'ffffULL;
inline constexpr int kStoreShift = 48;
inline constexpr int kOwnerShift = 56;

// A position in 16 bytes, seen by the player to move. Passing the turn swaps the two words; the owner byte travels with its row.
struct alignas(16) Position {
  Row mover;
  Row opponent;
};
static_assert(sizeof(Position) == 16);

WARI_HD inline int pit_seeds(Row row, int pit) { return static_cast<int>((row >> (8 * pit)) & 0xff); }
WARI_HD inline int store_seeds(Row row) { return static_cast<int>((row >> kStoreShift) & 0xff); }
WARI_HD inline bool is_north(Row row) { return (row >> kOwnerShift) != 0; }
WARI_HD inline bool north_moves(const Position& position) { return is_north(position.mover); }
// Seeds in the six pits of a row, at most 72.
WARI_HD inline int row_seeds(Row row) { return static_cast<int>(((row & kPitsMask) * 0x0001'0101'0101'0101ULL >> 40) & 0xff); }
WARI_HD inline Position swap_sides(const Position& position) { return {position.opponent, position.mover}; }
// Pits, stores and player to move.
WARI_HD inline bool operator==(const Position& a, const Position& b) { return a.mover == b.mover && a.opponent == b.opponent; }

}  // namespace wari
