#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arena/evaluation.h"
#include "search/selfplay_engine.h"
#include "selfplay/game_statistics.h"
#include "train/replay.h"
#include "train/trainer.h"

namespace wari {

// Where an iteration's time went, in seconds of wall clock.
struct StageSeconds {
  double selfplay = 0;    // games, from the first wave to the last
  double replay = 0;      // records written, positions made and taken into the window
  double training = 0;    // batches drawn and optimiser steps
  double evaluation = 0;  // matches against references
  double checkpoint = 0;  // weights handed to the engines, files written and synced
  double total() const { return selfplay + replay + training + evaluation + checkpoint; }
};

// What one iteration did; how it is written is decided below, so that docs/training.md has one list to explain.
struct IterationReport {
  std::int64_t iteration = 0;         // from 1
  std::int64_t step = 0;              // optimiser steps of the run so far
  double seconds_used = 0;            // of the run so far
  std::int64_t total_games = 0;       // of the run so far
  EngineCounters engine;              // of this iteration
  GameStatistics games;               // finished in this iteration
  SampleStatistics samples;           // made from them
  std::int64_t window_positions = 0;  // in the replay window
  std::int64_t total_positions = 0;   // ever taken in
  std::int64_t rejected_games = 0;    // recorded games that the rules refuse
  std::int64_t min_positions = 0;     // wanted before training begins
  double learning_rate = 0;           // of the iteration's last step
  TrainReport training;
  std::optional<GateReport> gate;
  std::optional<Evaluation> evaluation;
  StageSeconds seconds;
};

// The iteration's line of metrics.jsonl. What does not exist is null.
nlohmann::ordered_json metrics_line(const IterationReport& report);

// The numbers of a line as TensorBoard shows them: "games/mean_plies". Lists and null are left out.
std::vector<std::pair<std::string, float>> metrics_scalars(const nlohmann::ordered_json& line);

// One line for a person.
std::string metrics_text(const nlohmann::ordered_json& line);

// What should make a person look twice, one sentence each: a value head that knows nothing, games that are all alike, batches half empty, steps that were
// skipped.
std::vector<std::string> metrics_warnings(const nlohmann::ordered_json& line);

// Later minus earlier.
EngineCounters counters_between(const EngineCounters& earlier, const EngineCounters& later);

}  // namespace wari
