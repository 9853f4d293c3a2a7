#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/game.h"

// A whole game as one JSON object, the format of games in docs/rules.md.
namespace wari {

struct NamedGame {
  Game game;
  std::string set;    // a label
  std::string ended;  // "table", "resigned" or "limit": a program ended it before the rules did; empty: the rules did
};

nlohmann::ordered_json game_to_json(const NamedGame& game);

// Reads one line strictly: the moves must be legal, plies and stores right, and the game over exactly where `ended` is missing. `place` (file:line) goes into the Error.
NamedGame game_from_json(std::string_view line, const std::string& place);

}  // namespace wari
