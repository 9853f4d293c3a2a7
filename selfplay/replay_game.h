#pragma once

#include <string>
#include <vector>

#include "core/game.h"
#include "selfplay/game_record.h"

namespace wari {

// One position of a replayed game, before its move.
struct ReplayedPly {
  Position position;
  std::uint16_t legal;
  std::uint16_t quiet_plies;
};

// Plays a record again by the rules: every action legal, policies only over legal actions and whole, the game over after its last ply and not before, in the
// recorded way and with the recorded stores. Returns what is wrong, empty if nothing; `plies` then holds one entry a ply.
// A game that the program ended (table, resigned, limit) must not be over by the rules; its stores are taken as recorded.
std::string replay_game(const GameRecord& game, const Rules& rules, std::vector<ReplayedPly>& plies);

// The same for a game in flight: how it stands now.
Game resume_game(const GameRecord& game, const Rules& rules);

inline bool ended_by_program(End end) { return end == End::table || end == End::resigned || end == End::limit; }

}  // namespace wari
