#pragma once

#include "core/game.h"

namespace wari {

// The game `now` told as one that goes on from `before`, so that the tree can be kept; `now` itself where it does not. Programs like Aualé begin the position anew after each
// capture ("position fen P" in place of all moves): nothing before it matters to the rules, and repetitions and quiet plies are the same either way.
Game continued_game(const Game& before, const Game& now);

}  // namespace wari
