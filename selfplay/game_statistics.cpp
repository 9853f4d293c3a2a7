#include "selfplay/game_statistics.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "search/move_log.h"

namespace wari {
namespace {

constexpr int kOpeningPlies = 8;

// The rule set and the first plies as a key.
std::string opening_of(const GameRecord& game) {
  std::string key(1, static_cast<char>(game.rules_index));
  for (int i = 0; i < std::min(kOpeningPlies, game.length()); ++i) key.push_back(static_cast<char>(game.plies[static_cast<std::size_t>(i)].action));
  return key;
}

// Adds the plies by kind; returns the sum of surprises, in nats.
double count_plies(const GameRecord& game, GameStatistics& statistics) {
  double surprise = 0;
  for (const PlyRecord& ply : game.plies) {
    if (ply.flags & kFlagRandom) {
      ++statistics.random_plies;
    } else if (ply.flags & kFlagForced) {
      ++statistics.forced_plies;
    } else if (ply.flags & kFlagFull) {
      ++statistics.full_searches;
      surprise += ply.surprise / 4096.0;
    } else {
      ++statistics.capped_searches;
    }
  }
  return surprise;
}

}  // namespace

GameStatistics game_statistics(std::span<const GameRecord> games) {
  GameStatistics statistics;
  std::unordered_set<std::string> openings;
  double surprise = 0;
  for (const GameRecord& game : games) {
    statistics.shortest = statistics.games == 0 ? game.length() : std::min(statistics.shortest, game.length());
    statistics.longest = std::max(statistics.longest, game.length());
    ++statistics.games;
    statistics.plies += game.length();
    const int margin = game.south_half_seeds - game.north_half_seeds;
    ++(margin > 0 ? statistics.south_wins : margin < 0 ? statistics.north_wins : statistics.draws);
    if (const auto end = static_cast<std::size_t>(game.end); end < statistics.ends.size()) ++statistics.ends[end];
    openings.insert(opening_of(game));
    surprise += count_plies(game, statistics);
  }
  statistics.distinct_openings = static_cast<std::int64_t>(openings.size());
  if (statistics.full_searches > 0) statistics.mean_surprise = surprise / static_cast<double>(statistics.full_searches);
  return statistics;
}

const char* end_name(End end) {
  switch (end) {
    case End::none: return "none";
    case End::majority: return "majority";
    case End::no_move: return "no_move";
    case End::slam: return "slam";
    case End::slam_rest: return "slam_rest";
    case End::quiet: return "quiet";
    case End::repetition: return "repetition";
    case End::table: return "table";
    case End::resigned: return "resigned";
    case End::limit: return "limit";
  }
  return "unknown";
}

}  // namespace wari
