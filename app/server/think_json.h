#pragma once

#include <nlohmann/json.hpp>

#include "app/server/searches.h"

// What a search found, as the pages read it; the same for hints, moves and comparisons.
namespace wari {

nlohmann::ordered_json think_json(const Game& game, const ThoughtOf& found, const std::optional<NamedCheckpoint>& checkpoint);

}  // namespace wari
