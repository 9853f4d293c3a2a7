#pragma once

#include <string>
#include <vector>

#include "core/game.h"
#include "search/thinker.h"

// What is said about a search, in the protocol's words.
namespace wari {

// "info depth 9 nodes 2000 nps 51000 score cp 137 hashfull 12 time 39 pv FfEb": from the side of the player to move; cp are hundredths of a seed of the expected final margin.
std::string info_line(const Game& game, const Thought& thought, bool show_wdl);
std::string finished_info_line(const Thought& thought);  // of a game that is over

// "bestmove F ponder f"; `best` -1: "bestmove 0000". The other player's answer is named where the search expects one.
std::string bestmove_line(const Game& game, int best, const RootResult& root);

// One line a move for `debug on`.
std::vector<std::string> move_lines(const Game& game, const RootResult& root);

// A line "info string ..." of any text: a single line of visible characters, cut where long.
std::string info_string(std::string_view text);

}  // namespace wari
