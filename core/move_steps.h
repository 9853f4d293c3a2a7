#pragma once

#include <cstdint>
#include <vector>

#include "core/moves.h"

// A move taken apart, for whoever shows one: what happens on the board, in order.
namespace wari {

struct MoveStep {
  enum class Kind : std::uint8_t {
    lift,     // all seeds of a pit, into the hand; a further lap lifts again
    sow,      // one seed of the hand
    capture,  // a pit's seeds into the store of the player who moved
    sweep,    // a pit's seeds into a store because the game has ended
  };
  enum class Store : std::uint8_t { none, south, north, both /* half of the seeds each */ };

  Kind kind = Kind::lift;
  std::uint8_t pit = 0;    // 0..11: A..F, a..f
  std::uint8_t seeds = 0;  // moved by this step
  Store to = Store::none;  // of a capture or a sweep
  bool operator==(const MoveStep&) const = default;
};

// Of a legal action, without what the end of the game moves.
std::vector<MoveStep> move_steps(const Rules& rules, const Position& position, int action);

// What final_stores() adds to the stores of a game that ended so. None where seeds on the board stay uncounted, and of a game that a program ended.
std::vector<MoveStep> sweep_steps(const Rules& rules, const Position& position, End end);

}  // namespace wari
