#pragma once

#include <map>
#include <string>
#include <vector>

#include "arena/match.h"

// One Elo scale for many players: all games count jointly, and some players stand at fixed numbers.
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

// How draws count: as half a win each (Bradley and Terry, 1952), or as results of their own, whose frequency is one more unknown (Davidson, 1970; arena/rating_fit.h
// says how it stands on the Elo scale). Modelled draws make the error bars right where many games are drawn: a draw tells more about two players than half a win.
enum class DrawModel { half_win, davidson };

struct RatingSettings {
  DrawModel draws = DrawModel::half_win;
  double prior_games = 1;  // see below; 0: none, then a player who won or lost all has no finite number
};

struct Ratings {
  std::vector<Rating> players;        // in order of name
  std::vector<std::string> warnings;  // players that cannot be compared with the anchors
  double draw_parameter = 0;          // Davidson's nu: two equals draw nu / (2 + nu) of their games; 0 with half wins
  const Rating* find(const std::string& player) const;
};

// Anchors: player and Elo. So that numbers stay finite where one side won all, each pair that has met counts a little more level than was played: one game over the number
// of opponents of whichever of the two has more. A whole game for every pair would be evidence that adds up: a hundred checkpoints that all beat a weak reference would each
// seem to have drawn with it, and sink the whole scale as a run goes on.
Ratings rate_players(const std::vector<PairRecord>& records, const std::map<std::string, double>& anchors, const RatingSettings& settings = {});

}  // namespace wari
