#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arena/player.h"
#include "core/game.h"

// Two players against each other over paired openings: each pair of games starts from one random line, and each player has it once from either seat.
namespace wari {

struct MatchSettings {
  Rules rules;
  int games = 400;         // even: pairs
  int opening_plies = 4;   // random plies at the start of each pair; distinct among pairs while there are enough
  std::uint64_t seed = 1;  // of openings and of everything random about the players
};

// Counts of games from A's side.
struct GameCounts {
  int wins = 0;
  int draws = 0;
  int losses = 0;
  int games() const { return wins + draws + losses; }
  double score() const { return games() == 0 ? 0.5 : (wins + 0.5 * draws) / games(); }  // share of points
  friend GameCounts operator+(const GameCounts& a, const GameCounts& b) { return {a.wins + b.wins, a.draws + b.draws, a.losses + b.losses}; }
  bool operator==(const GameCounts&) const = default;
};

struct PlayedGame {
  Game game;
  bool a_is_south;
  double a_points;  // 1, 1/2 or 0
};

struct MatchResult {
  GameCounts total;
  GameCounts first;  // games in which A had the first move (South)
  GameCounts second;
  double elo = 0;                   // of A over B, from (wins + draws/2 + 1/2) / (games + 1)
  double elo_error_95 = 0;          // half width of the 95 % interval, from the spread over pairs
  double first_player_score = 0.5;  // of whoever moved first; far from a half says that the openings decide
  double first_player_error_95 = 0;
  int distinct_games = 0;  // different lines of moves
  double mean_plies = 0;
  bool complete = true;  // false: `watch` stopped it
  double seconds = 0;    // wall clock; all else depends on settings and players only
};

struct MatchProgress {
  int finished = 0;
  int games = 0;
  GameCounts so_far;
  double share = 0;  // of the whole work, 0..1: games run side by side, so most end late
  double seconds = 0;
};

// Throws Error for an odd number of games, endless rules (`quiet_plies: 0`), or openings that all end the game.
// `watch` is called after each round of moves; if it returns false the match stops there, and the result covers the pairs that were finished.
MatchResult play_match(const MatchSettings& settings, Player& a, Player& b, const std::function<bool(const MatchProgress&)>& watch = {},
                       std::vector<PlayedGame>* games = nullptr);

// The openings of a match: one unfinished game per pair.
std::vector<Game> match_openings(const MatchSettings& settings);

// The figures of a match from its games in order of number (2 i and 2 i + 1 are a pair).
MatchResult summarise_match(std::span<const PlayedGame> games);

// "63 games/s, 120/400, 61.3 %, 4 s left": for a terminal.
std::string progress_text(const MatchProgress& progress);

}  // namespace wari
