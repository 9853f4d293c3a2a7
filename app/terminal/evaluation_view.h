#pragma once

#include <string>

#include "app/terminal/style.h"
#include "core/game.h"
#include "search/batch_search.h"

// What a search says of a position, for people.
namespace wari {

// A bar from South's side to North's and the figures: "South [########------] North  South wins 58 %, draw 4 %; South by 3.1 seeds".
std::string evaluation_line(const Game& game, const RootResult& result, const TerminalStyle& style);

// A row for each move: visits, chance, value; the line that the search expects.
std::string analysis_table(const Game& game, const RootResult& result, const TerminalStyle& style);

// "F e D ...": the first moves of the principal variation.
std::string expected_line(const Game& game, const RootResult& result, std::size_t most_moves = 12);

}  // namespace wari
