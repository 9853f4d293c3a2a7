#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/game.h"

// The text forms of positions, moves and lines (docs/rules.md). Readers throw Error with the offending text in quotes.
namespace wari {

std::string position_text(const Position& position);                           // "4-4-...-0-0-S"
std::string board_text(const Position& position);                              // a drawing, North above; five lines
Position parse_position(std::string_view text, const Rules& rules);            // the sum must match the rule set
std::string move_text(const Position& position, int action);                   // "C", "c", "C-"
std::string move_text(bool north, int action);
// Plays a line ("FfEbC-a") on `game`; Error: "illegal move 3: 'F': ...".
void play_line(Game& game, std::string_view line);
int parse_move(const Game& game, std::string_view text);                       // one move; throws if illegal
std::string line_text(const Game& game);                                       // all moves of the game
std::vector<std::string> move_texts(Game game, std::span<const int> actions);  // of actions that follow; ends before one that cannot be played

}  // namespace wari
