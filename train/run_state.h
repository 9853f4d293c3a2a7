#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arena/results.h"
#include "selfplay/selfplay.h"
#include "train/checkpoint.h"
#include "train/metrics.h"
#include "train/replay.h"
#include "train/run_folder.h"
#include "train/stop_request.h"
#include "train/tensorboard.h"
#include "train/trainer.h"
#include "train/training_loop.h"

namespace wari {

// What a run has done up to its newest checkpoint, which keeps it as JSON.
struct RunCounters {
  std::int64_t iteration = 0;
  std::int64_t games = 0, plies = 0, simulations = 0, evaluations = 0;
  std::int64_t dropped_games = 0;          // in flight when the number of lanes was changed
  std::int64_t total_positions = 0;        // ever taken into the replay window
  double carried_samples = 0;              // owed to the trainer, less than a batch
  double seconds_used = 0;                 // of all processes that worked on the run
  std::vector<std::int64_t> evaluated;     // iterations on the Elo curve, whose checkpoints stay
  std::int64_t accepted = 0;               // iteration whose network plays, whose checkpoint stays too; 0: the newest plays
  std::vector<std::string> records_taken;  // shards of --records that were learned from
  std::vector<std::string> changes;        // of the configuration, in words
  std::string origin;                      // hash of the weights given by --from; empty: began at random

  void add(const IterationReport& report, double seconds);  // one more iteration; `seconds`: used by now
  nlohmann::json to_json() const;
  static RunCounters from_json(const nlohmann::json& value);  // Error where something is missing
};

// The shards of a window as a checkpoint lists them.
nlohmann::json shards_to_json(const std::vector<ShardInfo>& shards);
std::vector<ShardInfo> shards_from_json(const nlohmann::json& value);

struct RunState;
// Notes what one more checkpoint needs on disk, and forgets what was needed by checkpoints that are no longer among the newest.
void remember_needs(RunState& run, std::int64_t iteration, const std::vector<ShardInfo>& shards, std::int64_t accepted);

// A run in memory: its folder, and everything that a checkpoint brings back.
struct RunState {
  RunState(const TrainingRequest& request, RunFolder opened);

  TrainingSettings settings;
  RunFolder folder;
  RulesMix rules;
  std::vector<std::pair<Rules, int>> weighted_rules;
  std::string run_id;
  RunCounters counters;
  nlohmann::ordered_json last_line;                            // of the newest checkpoint; null before the first
  std::int64_t newest = -1;                                    // checkpoint; -1: none
  // Of the newest checkpoints on disk, so that each of them could be gone on from: the shards of its window, and the checkpoint whose network plays (0: its own).
  std::map<std::int64_t, std::vector<std::string>> shards_of;
  std::map<std::int64_t, std::int64_t> accepted_of;

  bool on_device = false;                                      // on the GPU: what start_run() chose

  // Made by start() only.
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Replay> replay;
  std::unique_ptr<Selfplay> selfplay;  // null when the run learns from records
  std::unique_ptr<ResultsDatabase> results;
  std::shared_ptr<const EndgameTable> truth;       // that evaluations compare choices with; null: none
  std::unique_ptr<TruthPositions> truth_positions;  // made by the first evaluation
  std::unique_ptr<EventFile> events;

  std::unique_ptr<Evaluator> evaluator() const;           // the averaged weights as the search sees them, on the CPU
  std::unique_ptr<Evaluator> selfplay_evaluator() const;  // where the games are played
  // Of the checkpoint of an iteration, with `lanes` rows on a GPU.
  std::unique_ptr<Evaluator> checkpoint_evaluator(std::int64_t iteration, const std::vector<Rules>& of_rules, int lanes) const;
};

// Opens the run, in this order: lock, configuration, hashes of the newest checkpoint. Changes nothing but a missing folder.
std::unique_ptr<RunState> open_run(const TrainingRequest& request);

// Prepares for work: writes the configuration, sets aside what is newer than the newest checkpoint, and makes or restores trainer, window, games and results.
// Returns false where `stop` came while endgame tables were built.
bool start_run(RunState& run, const TrainingRequest& request, const StopRequest& stop);

// Adds to a report what the run as a whole knows.
void complete_report(const RunState& run, IterationReport& report);

// Publishes the state as checkpoint `counters.iteration`: the one commit point. What follows it (metrics, events) is made good by the next start if it is cut
// off.
void commit_run(RunState& run, const nlohmann::ordered_json& line, const Evaluation* evaluation);

}  // namespace wari
