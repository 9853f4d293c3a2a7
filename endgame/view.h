#pragma once

#include <cstdint>

#include "core/rules.h"
#include "endgame/numbering.h"

// What a search reads of an endgame table.
namespace wari {

// A position is looked up only while this many plies without a capture are left: what is won takes time to be won.
inline constexpr int kEndgameQuietPlies = 200;
WARI_HD inline bool endgame_time_left(const Rules& rules, int quiet_plies) { return rules.quiet_plies == 0 || quiet_plies + kEndgameQuietPlies <= rules.quiet_plies; }

struct EndgameValue {
  int seeds;   // for the player to move, a cycle paid as an even split
  bool exact;  // the same whatever a cycle pays, so by every repetition rule (while enough quiet plies are left)
};

// Plain pointers, on the host or on a device.
struct EndgameView {
  const EndgameNumbering* numbering = nullptr;
  const std::uint8_t* values = nullptr;  // [boards of up to `seeds` seeds], by number: twice the value (in two's complement), plus 1 where it is exact
  int seeds = -1;                        // no board is held

  WARI_HD bool holds(const Position& position) const { return row_seeds(position.mover) + row_seeds(position.opponent) <= seeds; }
  WARI_HD EndgameValue value(const Position& position) const {
    const auto byte = static_cast<std::int8_t>(values[board_number(*numbering, position)]);
    return {byte >> 1, (byte & 1) != 0};
  }
};

}  // namespace wari
