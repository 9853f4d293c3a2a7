#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/rules.h"

// The values of all boards of one seed count, from those of fewer seeds. A value is what the player to move will take from here on more than the opponent.
namespace wari {

// [boards of all solved seed counts], by number. A cycle is paid by nobody but the rules, and rules differ; so there are three values:
struct EndgameValues {
  std::vector<std::int8_t> split;  // a cycle splits what is on the board evenly
  std::vector<std::int8_t> low;    // a cycle gives everything to the opponent, here and in all that follows: the least the player to move is sure of
  std::vector<std::int8_t> high;   // a cycle gives everything to the player to move: the most there is to hope for
};

struct LevelSettings {
  Rules rules;  // of endgame_rules()
  int seeds = 0;
  int workers = 1;
};

// How many boards are done, each counted four times: looked at, and valued three times. Returning false stops.
using LevelWatch = std::function<bool(std::uint64_t done)>;

// Appends the level to `values`, which hold all boards of fewer seeds. Returns false, with `values` as they were, if `watch` stopped it.
//
// Retrograde analysis (Thompson 1986; for awari Lincke 2000, Romein and Bal 2002): values are given from the greatest down. A board is worth t as soon as one move
// reaches t, and -t as soon as the last of its moves is known to reach no more; what is left when no force remains is a cycle. Each board gets its value once,
// and then tells the boards one move before. The result depends on neither the number of workers nor the order of their work.
bool solve_level(const LevelSettings& settings, EndgameValues& values, const LevelWatch& watch = {});

}  // namespace wari
