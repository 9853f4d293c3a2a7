#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "endgame/table.h"
#include "search/evaluator.h"
#include "search/move_log.h"
#include "search/settings.h"

// Self-play in lanes: every lane plays games l, l + lanes, l + 2 lanes, ... without pause. One engine is driven by one thread (a worker owns the lanes
// first_lane .. first_lane + lanes - 1 of the process); the engine on a GPU has the same interface.
namespace wari {

struct SelfplayEngineSettings {
  SearchSettings search;
  PlaySettings play;
  std::vector<Rules> rules;                 // the rule sets of the run
  std::vector<std::uint8_t> rules_cycle;    // game g plays rules[rules_cycle[(g / 128) % size]]: each set as often as its weight
  EndgameTables tables;                     // looked up in the searches, and by them games are adjudicated
  TableSearch search_tables = TableSearch::proven;
  double adjudicated_share = 1.0;           // of the games: those end where a table's value holds whatever a cycle pays
  std::uint64_t seed = 0;
  int lanes = 256;                          // of this engine
  std::int64_t first_lane = 0;              // number of its first lane in the process
  std::int64_t total_lanes = 256;           // of the process: the stride of game numbers
  std::int64_t first_game = 0;              // lane l starts with game first_game + l
  std::int64_t games_end = INT64_MAX;       // no game with this number or above is begun; lanes without a game idle
};

// A lane's game in flight, enough to go on with it: what lanes.bin keeps.
struct LaneState {
  std::int64_t game = -1;                   // -1: idle (no game left)
  std::uint8_t rules_index = 0;
  std::uint16_t ply = 0;
  std::vector<Position> since_capture;      // positions since the last capture, oldest first, the present one last
};

struct EngineCounters {
  std::int64_t simulations = 0;   // every try counts, the root's evaluation does not
  std::int64_t evaluations = 0;   // active rows that the evaluator judged
  std::int64_t rows = 0;          // rows of all batches, padding included
  std::int64_t moves = 0;
  std::int64_t games = 0;         // finished
  std::int64_t waves = 0;
  std::int64_t bad_outputs = 0;   // evaluations that were not finite: even priors or an even value were taken instead
  double search_seconds = 0;      // time outside the evaluator
  double network_seconds = 0;

  // Adds another engine's counts, or with -1 takes an earlier reading away: one list of fields, so that none is forgotten.
  void add(const EngineCounters& other, int times = 1) {
    simulations += times * other.simulations;
    evaluations += times * other.evaluations;
    rows += times * other.rows;
    moves += times * other.moves;
    games += times * other.games;
    waves += times * other.waves;
    bad_outputs += times * other.bad_outputs;
    search_seconds += times * other.search_seconds;
    network_seconds += times * other.network_seconds;
  }
};

using TakeMoves = std::function<void(std::span<const MoveRecord>)>;

class SelfplayEngine {
 public:
  virtual ~SelfplayEngine() = default;
  // Runs `waves` waves (fewer when every lane is idle) and appends the moves made to `log`, per lane in order.
  virtual void run(int waves, std::vector<MoveRecord>& log) = 0;
  // The same for who wants the moves part by part, while they are in the cache; an engine on a device goes on meanwhile.
  virtual void play(int waves, const TakeMoves& take);
  virtual bool all_idle() const = 0;
  // Another end of the games: lanes that idled for want of one go on.
  virtual void set_games_end(std::int64_t games_end) = 0;
  // Searches under way are dropped and begun anew: used when the evaluator's weights change, and before save().
  virtual void restart_searches() = 0;
  virtual std::vector<LaneState> save() const = 0;              // [lanes]; only after restart_searches()
  virtual void load(std::span<const LaneState> lanes) = 0;      // [lanes]
  virtual void set_evaluator(std::unique_ptr<Evaluator> evaluator) = 0;
  virtual EngineCounters counters() const = 0;
};

// Throws Error for settings that no engine can work with.
void check_selfplay(const SelfplayEngineSettings& settings);
// Does one of the rule sets have actions beyond the six pits?
bool needs_twelve_edges(const SelfplayEngineSettings& settings);

std::unique_ptr<SelfplayEngine> make_cpu_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator);

}  // namespace wari
