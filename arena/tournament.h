#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arena/match.h"
#include "arena/ratings.h"
#include "arena/results.h"

// Everyone against everyone: a match of paired games for each two players, and one rating of all games.
namespace wari {

struct TournamentSettings {
  MatchSettings match;                    // `games` for each two players; openings and ties of each pairing are drawn from its own seed
  std::map<std::string, double> anchors;  // players at a fixed Elo; none: the mean of all is 0
};

struct TournamentProgress {
  std::string a, b;  // who is playing
  int finished = 0;  // pairings
  int pairings = 0;
  MatchProgress match;  // of the present pairing
  double share = 0;     // of what is played now, 0..1
  double seconds = 0;
};

struct TournamentPairing {
  StoredMatch match;
  bool was_stored = false;  // played earlier, read from the database
};

struct TournamentResult {
  std::vector<TournamentPairing> pairings;  // finished ones, in order of play
  Ratings ratings;                          // draws are modelled
  bool complete = true;                     // false: `watch` stopped it
  double seconds = 0;
};

// The games of one pairing, as soon as it is finished.
using PairingGames = std::function<void(const std::string& a, const std::string& b, std::span<const PlayedGame> games)>;

// Throws Error, before a game is played: fewer than two players, one of them twice, an anchor that does not play, an odd number of games.
// With a database each pairing is stored as it is finished, and one that is there already under the same players (their versions included), rules, games,
// openings, seed and version of the program is not played again. A pairing that `watch` stops is not stored.
TournamentResult play_tournament(const TournamentSettings& settings, const std::vector<std::unique_ptr<Player>>& players, ResultsDatabase* database,
                                 const std::function<bool(const TournamentProgress&)>& watch = {}, const PairingGames& keep_games = {});

// What one player has against all others.
GameCounts games_of(const std::vector<TournamentPairing>& pairings, const std::string& player);
// And against one other; games() is 0 where they have not met.
GameCounts games_between(const std::vector<TournamentPairing>& pairings, const std::string& player, const std::string& opponent);

// "pairing 3 of 10, alphabeta:depth=4 - greedy: 120/400 games, 61.3 %, 63 games/s; 40 s left in all": for a terminal.
std::string progress_text(const TournamentProgress& progress);

}  // namespace wari
