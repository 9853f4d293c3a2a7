#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/bench.h"
#include "core/log.h"
#include "search/evaluator.h"
#include "selfplay/selfplay.h"
#include "train/replay.h"
#include "train/trainer.h"

namespace wari {
namespace {

// A replay window as in training, of games played with quick searches.
Replay played_window(int workers, const std::filesystem::path& folder) {
  SelfplaySettings play;
  play.lanes = 512;
  play.play.simulations = 8;
  SelfplayOptions options;
  options.rules = single_rules(Rules{});
  options.seed = 1;
  options.workers = workers;
  Selfplay selfplay(play, options, *make_hash_evaluator());
  std::vector<GameRecord> games;
  while (games.size() < 1000) selfplay.run(256, games);
  Replay replay(ReplaySettings{}, {Rules{}}, 1, folder, "bench");
  replay.add(1, std::move(games));
  return replay;
}

int all_cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

const Replay& window() {
  static const Replay replay = [] {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("wari-bench-train-" + std::to_string(getpid()));
    log_info("bench: games to learn from");
    Replay played = played_window(all_cores(), folder);
    std::filesystem::remove_all(folder);
    return played;
  }();
  return replay;
}

}  // namespace

// Whole optimiser steps: the batch drawn from the window, encoded, all heads forward and backward, AdamW and the average.
BenchResult bench_training(const std::string& prefix, const NetworkSettings& network, int batch_size, LearnsOn where) {
  TrainerSettings settings;
  settings.batch = batch_size;
  Trainer trainer(network, settings, all_cores(), 1, where);
  const Replay& replay = window();
  const int steps = network.kind == TrunkKind::conv ? 6 : 40;  // of one run
  return measure_rate(prefix + network_name(network) + ".samples_per_second", [&] {
    for (int step = 0; step < steps; ++step) trainer.step(replay);
    trainer.finish();
    return static_cast<double>(steps) * batch_size;
  });
}

std::vector<BenchResult> bench_train() {
  std::vector<BenchResult> results;
  for (const NetworkSettings& network : {NetworkSettings{TrunkKind::mlp, 128, 2}, NetworkSettings{TrunkKind::mlp, 256, 3}, NetworkSettings{TrunkKind::conv, 64, 4}}) {
    results.push_back(bench_training("train.", network, 2048, LearnsOn::cpu));
  }
  return results;
}

}  // namespace wari
