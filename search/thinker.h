#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/game.h"
#include "search/batch_search.h"

// Thinks about one position for long: one tree, kept while its game goes on, many leaves of it judged at once. For the engine, analysis and the pages; self-play searches
// many positions at once instead (search/selfplay_engine.h).
namespace wari {

struct ThinkerSettings {
  SearchSettings search;     // PUCT; playing_search() of the arena
  int workers = 1;           // threads that judge leaves; results do not depend on their number
  int batch = 0;             // leaves judged at once, at most; 0: as many as pay for themselves
  int visits_a_leaf = 64;    // a leaf more is judged at once for every so many visits of the tree: 16 cost 20 Elo, 64 none (docs/analysis.md)
  double virtual_loss = 0.0; // what a visit under way is counted below its move's value; 0: it counts as a visit alone, which played best
  std::int64_t nodes_max = std::int64_t{1} << 22;  // of the tree, 256 bytes each (512 where captures may be declined); when it is full those visited least make room
  EndgameTables tables;
  TableSearch table_search = TableSearch::all;
};

// What ends a search; whichever comes first, or that the root is proven, or `go_on`. For visits alone the result is a function of settings, game and visits.
struct ThinkLimits {
  std::optional<std::int64_t> visits;  // of the root, those kept from the last search included
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::optional<int> depth;            // plies of the principal variation, 64 at most; a line whose end is proven is deep enough
};

struct Thought {
  RootResult root;                // best move, values, visits per move, line; its `simulations` are the root's visits
  std::int64_t simulations = 0;   // of this search alone
  std::int64_t nodes = 0;         // in the tree
  int depth = 0;                  // plies of the principal variation
  double seconds = 0;
  double full = 0;                // share of the tree's memory in use, 0..1
};

// What a tree says without being asked to search, or to judge its root anew.
struct KnownMove {
  int best = -1;           // -1: nothing is known
  std::int64_t visits = 0;  // that it rests on
  float margin = 0;        // seeds, for the player to move
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  // The position to think about next. What the tree knows of it already is kept, where `game` goes on from the game before.
  virtual void set_game(const Game& game) = 0;
  virtual KnownMove known() const = 0;  // of that position
  // Searches, calling `go_on` about every 20 ms on this thread (false: stop). Always gives a legal best move, even where nothing was searched; -1 where the game is over.
  virtual Thought think(const ThinkLimits& limits, const std::function<bool(const Thought&)>& go_on = {}) = 0;
  virtual void forget() = 0;  // the tree
};

std::unique_ptr<Thinker> make_thinker(const ThinkerSettings& settings, const Evaluator& evaluator);

}  // namespace wari
