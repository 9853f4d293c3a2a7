#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arena/player.h"
#include "endgame/table.h"

// A network measured against known truth: positions whose every move has an exact value in an endgame table.
namespace wari {

struct TruthSettings {
  Rules rules;                // the table must share their endings
  int seeds_low = 13;         // on the board: beyond what training looked up
  int seeds_high = 15;
  int positions = 400;        // for each number of seeds, half of them from games, half drawn uniformly from all boards
  std::uint64_t seed = 1;     // of the positions
  int workers = 1;
  bool equal_moves = false;   // also positions in which every move is worth the same: no questions, but what play meets
};

// A position in which the best move keeps a win (or a draw) and every other move does not: moves differ in value, all values hold whatever a cycle pays, and the
// stores are set so that the game hangs on the move. So the best move by seeds and by result are the same.
struct TruthPosition {
  Game game;
  std::vector<EndgameMove> moves;
  int best = 0;            // value of the best moves, in seeds
  bool from_games = false;
};

// A position with an exact value and the stores that it had in its game: for calibration.
struct JudgedPosition {
  Game game;
  int result = 0;          // 1 win, 0 draw, -1 loss of the mover by best play
};

struct TruthPositions {
  std::vector<TruthPosition> choices;
  std::vector<JudgedPosition> judged;
};

// The same positions for every network. Games are alpha-beta's, from random openings. Throws Error where the table holds fewer seeds, or is for other rules. Where
// so few boards qualify that the numbers cannot be had, there are fewer.
TruthPositions truth_positions(const EndgameTable& table, const TruthSettings& settings);

struct TruthResult {
  int seeds = 0;
  int budget = 0;             // simulations a move; 0: the raw policy
  int positions = 0;
  double optimal_share = 0;
  double error_95 = 0;        // half width of the 95 % interval
  double mean_seeds_lost = 0; // against the best move
};

struct CalibrationBin {
  double low = 0, high = 0;   // of the predicted value, win minus loss
  int positions = 0;
  double predicted = 0;       // means
  double actual = 0;
  double error_95 = 0;        // of `actual`
};

struct TruthReport {
  std::vector<TruthResult> results;         // by seeds, then by budget
  std::vector<TruthResult> together;        // all numbers of seeds, by budget
  std::vector<TruthResult> from_games;      // likewise, the positions from games alone
  std::vector<CalibrationBin> calibration;  // of the network's own value
  bool complete = true;
};

// Makes the player for a budget; 0 is the raw policy.
using BudgetPlayer = std::function<std::unique_ptr<Player>(int budget)>;

// `watch` gets the share of the work that is done; if it returns false the report is not complete.
TruthReport measure_truth(const TruthPositions& positions, const std::vector<int>& budgets, const BudgetPlayer& player, Evaluator& evaluator,
                          const std::function<bool(double)>& watch = {});

// A picture of the report: share of best moves by seeds for each budget, and predicted against actual value. SVG.
std::string truth_picture(const TruthReport& report, const std::string& title);

}  // namespace wari
