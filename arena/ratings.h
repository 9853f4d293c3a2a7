#pragma once

#include <map>
#include <string>
#include <vector>

#include "arena/match.h"

// One Elo scale for many players: all games count jointly, and some players stand at fixed numbers (Bradley and Terry, 1952; a draw is half a win).
namespace wari {

struct PairRecord {
  std::string a;
  std::string b;
  GameCounts games;  // from a's side
};

struct Rating {
  std::string player;
  double elo = 0;
  double error_95 = 0;  // half width of the 95 % interval relative to the anchors; 0 for an anchor
  int games = 0;
  bool anchored = false;  // a fixed number
  bool connected = true;  // false: no chain of games leads to an anchor, the number is relative to its own group's mean
};

struct Ratings {
  std::vector<Rating> players;        // in order of name
  std::vector<std::string> warnings;  // players that cannot be compared with the anchors
  const Rating* find(const std::string& player) const;
};

// Anchors: player and Elo. Each pair that has met counts one drawn game more than was played, so that numbers stay finite where one side won all
// (the same half point as in MatchResult::elo).
Ratings rate_players(const std::vector<PairRecord>& records, const std::map<std::string, double>& anchors);

}  // namespace wari
