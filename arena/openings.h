#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/game.h"

// Where the games of a match begin, other than from lines drawn at random.
namespace wari {

struct OpeningBook {
  std::string name;         // how results tell which it was
  std::vector<Game> lines;  // unfinished games; empty: lines are drawn at random
};

// One opening a line: moves from the start position ("FfEb"), or a position, or a position and moves after a space. Empty lines and what follows a '#' are
// nothing. Throws Error with file and line where that is no unfinished game of `rules`.
OpeningBook read_openings(const std::filesystem::path& file, const Rules& rules);

struct BalanceSettings {
  int depth = 8;      // of the alpha-beta search that judges a line
  int max_seeds = 1;  // by which its value may favour either side
};

// All lines of `plies` moves that a search finds level. Throws Error where there are too many lines to look at (20,000), or none is level.
OpeningBook balanced_openings(const Rules& rules, int plies, const BalanceSettings& balance, int workers);

// All unfinished lines of `plies` moves in order of action; empty where they are more than 20,000.
std::vector<Game> all_lines(const Rules& rules, int plies);

}  // namespace wari
