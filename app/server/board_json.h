#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/game.h"
#include "core/move_steps.h"

// Games and positions as the pages read them (docs/web-api.md).
namespace wari {

const char* side_name(bool north);                       // "S", "N"
nlohmann::ordered_json seeds_json(int half_seeds);       // a whole number, or one with a half
nlohmann::ordered_json winner_json(int south_half_seeds, int north_half_seeds);  // "S", "N" or null: a draw
nlohmann::ordered_json steps_json(const std::vector<MoveStep>& steps);

// One position with all that a board shows, and the plies that led to it from number `from` on.
nlohmann::ordered_json board_json(const Game& game, int from);
// How the game counts if both agree to end it here.
nlohmann::ordered_json settled_json(const Game& game);

// The index of an action's pit on the board: 0..11.
int board_pit(const Position& position, int action);

}  // namespace wari
