#pragma once

#include <cstdint>
#include <string>

#include "app/terminal/style.h"
#include "core/game.h"

// The board as text: seeds as dots with their number below, the side of whoever plays at the bottom, the last move and what it captured marked.
namespace wari {

struct BoardView {
  TerminalStyle style;
  bool north_below = false;
  bool mark_legal = false;  // letters of the pits that may be played now
};

std::string board_view(const Game& game, const BoardView& view);

// "South F, captured 5 from a and b", "" at the start. With `again` where the same player moves once more.
std::string last_move_text(const Game& game);

// "South wins 26 to 22 (a store holds more than half of the seeds)", "a draw, 24 to 24 (...)"; of a game that is over.
std::string outcome_text(const Game& game);

// "South 26, North 22" from stores in half seeds.
std::string score_text(const SideStores& stores);
std::string winner_text(const SideStores& stores);  // "South wins 26 to 22", "a draw, 24 to 24"

}  // namespace wari
