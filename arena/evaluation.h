#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arena/gate.h"
#include "arena/match.h"
#include "arena/ratings.h"
#include "arena/results.h"
#include "arena/truth.h"

// How a training run measures its checkpoints: matches against fixed references, all on one Elo scale where `random` is 0.
namespace wari {

struct EvaluationSettings {
  int every = 10;   // iterations; 0: never
  int games = 100;  // against each reference
  int visits = 64;  // simulations a move of the checkpoint
  int opening_plies = 4;
  bool previous = true;                                                                                  // also against the checkpoint evaluated before,
  int previous_games = 400;                                                                              // in so many games: that is where progress shows
  std::vector<std::string> references = {"random", "greedy", "alphabeta:depth=4", "alphabeta:depth=8"};  // PLAYERs of the command line
  int table_seeds = 0;       // the endgame table that choices are compared with; 0: none
  int truth_positions = 200;  // for each number of seeds
  GateSettings gate;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("every", every, 0, 1000000, "iterations between evaluations; 0: never");
    v.number("games", games, 2, 1000000, "games against each reference, in pairs from one opening; even");
    v.number("visits", visits, 1, 1000000, "simulations a move of the checkpoint");
    v.number("opening_plies", opening_plies, 0, 100, "random plies at the start of each pair of games");
    v.flag("previous", previous, "also play the checkpoint that was evaluated before");
    v.number("previous_games", previous_games, 2, 1000000, "games against that one, which say whether it got better where all references lose; even");
    v.list("references", references, "players with fixed strength that every evaluated checkpoint meets");
    v.number("table_seeds", table_seeds, 0, kMostTableSeeds,
             "moves are also compared with an endgame table of so many seeds, more than self-play looks up, built before the first game; 0: they are not");
    v.number("truth_positions", truth_positions, 10, 100000, "positions of that comparison for each number of seeds, up to three numbers");
    v.group("gate", gate, "which networks play the games of self-play");
  }
};

struct EvaluationMatch {
  std::string opponent;
  MatchResult result;
};

struct Evaluation {
  std::vector<EvaluationMatch> matches;  // in order of settings.references, then the previous checkpoint
  Rating rating;                         // of the checkpoint, from all matches in the database, as rate_run() has it
  Ratings all;                           // of every player that the database knows, likewise
  std::optional<TruthReport> truth;      // of the raw policy and of searches of `visits`, where there is a table
  bool complete = true;                  // false: `watch` stopped it; what was finished is in the database
};

// Throws Error where a reference is no PLAYER or the number of games is odd: for the start of a run, long before the first evaluation.
void check_evaluation(const EvaluationSettings& settings, const Rules& rules);

// Plays what is not in the database yet, stores it, and rates all players jointly; `previous` may be null. The references also meet their neighbours in the
// list once a run, so that the scale holds when a checkpoint beats the weak ones always. The seed of each match is a function of (seed, iteration, opponent).
Evaluation evaluate_player(const EvaluationSettings& settings, const Rules& rules, std::uint64_t seed, int iteration, Player& checkpoint, Player* previous,
                           const PlayerEnvironment& environment, ResultsDatabase& database, const std::function<bool(const MatchProgress&)>& watch = {});

// All players in the database on one scale: `random` stands at 0, and the first checkpoint where its own evaluation put it, so that no later match moves the curve. Errors of the others
// are relative to both: a curve's band says how sure its rise is, and not how far away random play may be; the first has the error relative to random. Draws are results of their own, as
// in `wari results`.
Ratings rate_run(const ResultsDatabase& database);

// Of a checkpoint's player in the results of its run, "iteration 120"; -1: another player.
int checkpoint_iteration(const std::string& player);

}  // namespace wari
