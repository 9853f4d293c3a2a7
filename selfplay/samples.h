#pragma once

#include <vector>

#include "endgame/view.h"
#include "selfplay/game_record.h"
#include "selfplay/sample.h"

namespace wari {

// Appends the positions of a finished game that can be learned from: every ply but the random opening, whose outcome says little about the position. A ply
// without a policy target (capped search, forced move) becomes a sample for the value heads alone, or none if `value_only` is false.
// All targets are from the mover's side; the legal mask, final margin and plies left come from replaying the game, which verifies it as verify_game() does:
// returns what is wrong and appends nothing then, empty otherwise. Samples are copies; `rules_index` is put into them.
// Outcome and margin are the game's; where `table` gives a value that holds whatever a cycle pays, it takes their place for that position and those before it.
std::string append_samples(const GameRecord& game, const Rules& rules, std::uint8_t rules_index, bool value_only, std::vector<Sample>& samples, const EndgameView& table = {});

}  // namespace wari
