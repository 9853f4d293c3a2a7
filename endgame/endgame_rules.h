#pragma once

#include "core/rules.h"

// What of a rule set an endgame table depends on: `capture`, `grand_slam` and `no_feeding_move`. All else (seeds in all, majority, repetition, quiet plies)
// changes when a game ends, not what is left to win.
namespace wari {

// The rule set that stands for all that share a table. Throws Error for rules whose endings are not solved here: those of several laps.
Rules endgame_rules(const Rules& rules);

// Whether a table made for `table` (of endgame_rules()) says something about a game under `rules`.
bool shares_endings(const Rules& table, const Rules& rules);

}  // namespace wari
