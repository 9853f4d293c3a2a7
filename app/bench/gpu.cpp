#include <algorithm>
#include <chrono>
#include <vector>

#include "app/bench.h"
#include "core/log.h"
#include "cuda/device.h"
#include "cuda/device_network.h"
#include "cuda/selfplay_engine.h"
#include "cuda/switches.h"
#include "train/network.h"
#include "train/network_evaluator.h"

namespace wari {
namespace {

constexpr int kSimulations = 64;
constexpr int kRuns = 5;
constexpr double kSeconds = 1.0;      // of one run
constexpr int kSpreadingWaves = 6000;  // about a hundred moves: lanes at all stages of a game

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Self-play and the network alone in turns, so that a slow spell of the machine hits both. Adds three rows to `results`.
void bench_size(const std::string& name, const NetworkSettings& network, int lanes, std::vector<BenchResult>& results) {
  log_info("bench: {}, {} lanes", name, lanes);
  const std::vector<Rules> rules{Rules{}};
  const NetworkLayout layout(network);
  const auto evaluator = make_device_network_evaluator(fold_network(layout, initial_weights(layout, 1)), rules, lanes);
  SelfplayEngineSettings settings;
  settings.play.simulations = kSimulations;
  settings.rules = rules;
  settings.rules_cycle = {0};
  settings.seed = 1;
  settings.lanes = lanes;
  settings.total_lanes = lanes;
  const auto engine = make_cuda_selfplay_engine(settings, evaluator->clone());
  std::vector<MoveRecord> log;
  for (int wave = 0; wave < kSpreadingWaves; wave += 256, log.clear()) engine->run(256, log);
  std::vector<double> simulations, alone, efficiency;
  for (int run = 0; run < kRuns; ++run) {
    const EngineCounters before = engine->counters();
    const auto start = Clock::now();
    for (; seconds_since(start) < kSeconds; log.clear()) engine->run(256, log);
    const double seconds = seconds_since(start);
    const EngineCounters after = engine->counters();
    simulations.push_back(static_cast<double>(after.simulations - before.simulations) / seconds);
    alone.push_back(device_evaluations_per_second(*evaluator, lanes, kSeconds));
    efficiency.push_back(static_cast<double>(after.evaluations - before.evaluations) / seconds / alone.back());
  }
  results.push_back(summary(name + ".simulations_per_second", "1/s", simulations));
  results.push_back(summary(name + ".network_evaluations_per_second", "1/s", alone));
  results.push_back(summary(name + ".efficiency", "1", efficiency));
}

}  // namespace

std::vector<BenchResult> bench_gpu() {
  if (devices().empty()) {
    log_info("bench: gpu: no device, nothing is measured");
    return {};
  }
  const int multiprocessors = devices().front().multiprocessors;
  const NetworkSettings network{TrunkKind::mlp, 256, 12};
  std::vector<BenchResult> results;
  for (const auto& [size, lanes] : {std::pair{"16k", 128}, std::pair{"64k", 512}, std::pair{"4k", 32}}) {
    bench_size("gpu.mlp_12x256." + std::string(size), network, lanes * multiprocessors, results);
  }
  const NetworkSettings conv{TrunkKind::conv, 128, 10};
  bench_size("gpu.conv_10x128.16k", conv, 128 * multiprocessors, results);
  {
    CudaSwitches eager = cuda_switches();
    eager.graphs = false;
    const CudaSwitchesScope scope(eager);
    bench_size("gpu.mlp_12x256.16k_eager", network, 128 * multiprocessors, results);
  }
  results.push_back(bench_training("gpu.train.", network, 8192, LearnsOn::cuda));
  return results;
}

}  // namespace wari
