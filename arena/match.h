#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arena/openings.h"
#include "arena/player.h"
#include "arena/sprt.h"
#include "core/game.h"

// Two players against each other over paired openings: each pair of games starts from one random line, and each player has it once from either seat.
namespace wari {

struct MatchSettings {
  Rules rules;
  int games = 400;         // even: pairs; with `sprt` at most
  int opening_plies = 4;   // random plies at the start of each pair; distinct among pairs while there are enough
  OpeningBook book;        // lines in its place, in random order; where there are fewer than pairs, from the beginning again
  std::uint64_t seed = 1;  // of openings and of everything random about the players
  int games_at_once = 0;   // of no influence on what is played; 0: all, or a few hundred with `sprt`
  std::optional<SprtSettings> sprt;  // ends the match at its decision
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
  int forfeit = 0;  // kCrashed, kOutOfTime or kIllegalMove: how the player to move lost; 0: the rules ended the game
  bool is_over() const { return forfeit != 0 || game.is_over(); }
};

// Games that a player lost otherwise than by the rules; only programs of others do.
struct ForfeitCounts {
  int crashes = 0;
  int out_of_time = 0;
  int illegal_moves = 0;
  int total() const { return crashes + out_of_time + illegal_moves; }
  bool operator==(const ForfeitCounts&) const = default;
};

struct MatchResult {
  GameCounts total;
  GameCounts first;  // games in which A had the first move
  GameCounts second;
  Pentanomial pairs{};              // by A's points
  std::optional<SequentialTest> sprt;
  ForfeitCounts a_forfeits;         // lost by A
  ForfeitCounts b_forfeits;
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
  std::optional<SequentialTest> sprt = {};
};

// Throws Error for an odd number of games or endless rules (`quiet_plies: 0`).
void check_match(const MatchSettings& settings);

// Throws Error as check_match() does, and where all openings end the game.
// `watch` is called after each round of moves; if it returns false the match stops there, and the result covers the pairs that were finished. With a sequential
// test it covers the pairs up to the decision, or, where it was stopped, those that the test has seen.
MatchResult play_match(const MatchSettings& settings, Player& a, Player& b, const std::function<bool(const MatchProgress&)>& watch = {},
                       std::vector<PlayedGame>* games = nullptr);

// The openings of a match: one unfinished game per pair.
std::vector<Game> match_openings(const MatchSettings& settings);
std::string openings_name(const MatchSettings& settings);  // "random 4 plies"

// The figures of a match from its games in order of number (2 i and 2 i + 1 are a pair).
MatchResult summarise_match(std::span<const PlayedGame> games);

// The games as OGN (core/ogn.h), pairs as rounds: "12.1" and "12.2". A game that a player lost otherwise than by the rules says so in its tag Termination.
std::string match_ogn(std::span<const PlayedGame> games, const std::string& a, const std::string& b);

// "120/400 games, 61.3 %, 63 games/s, 4 s left", with a test "120 games, 61.3 %, 63 games/s, LLR 1.20 (-2.94 to 2.94)": for a terminal.
std::string progress_text(const MatchProgress& progress);

}  // namespace wari
