#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/game.h"
#include "endgame/table.h"
#include "search/evaluator.h"
#include "search/settings.h"

// Searches of given positions, many at once in lanes: arena players, analysis and evaluation. Fresh trees, no noise unless asked.
namespace wari {

struct RootRequest {
  Rules rules;
  std::vector<Position> since_capture;   // positions since the last capture, the root last
  int simulations = 64;                  // at most 2^31 - 1: 32-bit counts are used where 16 do not suffice
  std::uint64_t key = 0;                 // for random numbers (ties, Gumbel noise where asked): e.g. game number and ply mixed
};

struct RootAction {
  int action = -1;
  int visits = 0;
  float prior = 0;      // of the evaluator
  float policy = 0;     // improved policy: completed Q (gumbel) or visit share (puct)
  float value = 0;      // of the move, from the root mover's side, win minus loss
  bool proven = false;  // value is exact
};

struct RootResult {
  int best = -1;                        // the action to play, as `cli.md` says for the algorithm; -1 if the root is over
  float value = 0;                      // of the best move, -1..1, exact where proven
  bool proven = false;
  float wdl[3] = {0, 0, 0};             // win, draw, loss of the best move: win minus loss is `value`
  float margin = 0;                     // expected final margin in seeds
  int simulations = 0;
  std::vector<RootAction> actions;      // legal ones in order of action
  std::vector<int> line;                // principal variation, best first
};

class BatchSearch {
 public:
  virtual ~BatchSearch() = default;
  // Results in the order of requests. May be called again and again; memory is kept.
  virtual std::vector<RootResult> search(std::span<const RootRequest> requests) = 0;
};

struct BatchSearchSettings {
  SearchSettings search;
  int lanes = 256;      // searched at once
  int workers = 1;      // threads; each with a clone of the evaluator
  bool noise = false;   // Gumbel draws or Dirichlet noise at the roots, keyed by RootRequest::key
  EndgameTables tables;  // looked up in the searches of rules that one of them serves
  TableSearch table_search = TableSearch::all;
  std::int64_t nodes_max = std::int64_t{1} << 24;  // of one tree: a search whose tree is full ends with what it found
};

// The result of a position where the game is over: no move, and the value by the rules.
RootResult result_of_finished(const Rules& rules, const Position& position, End end);

std::unique_ptr<BatchSearch> make_cpu_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator);

}  // namespace wari
