#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "selfplay/game_record.h"

namespace wari {

// What a batch of finished games looks like: for metrics.
struct GameStatistics {
  std::int64_t games = 0;
  std::int64_t plies = 0;
  int shortest = 0, longest = 0;         // plies
  std::int64_t south_wins = 0, draws = 0, north_wins = 0;
  std::array<std::int64_t, 10> ends{};   // by End
  std::int64_t distinct_openings = 0;    // different first 8 plies (and rule sets)
  std::int64_t random_plies = 0, full_searches = 0, capped_searches = 0, forced_plies = 0;
  double mean_surprise = 0;              // nats, over full searches
  double mean_plies() const { return games ? static_cast<double>(plies) / static_cast<double>(games) : 0; }
};

GameStatistics game_statistics(std::span<const GameRecord> games);
const char* end_name(End end);           // "majority", "no_move", ...

}  // namespace wari
