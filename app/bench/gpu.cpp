#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/bench.h"
#include "core/log.h"
#include "cuda/device.h"
#include "cuda/device_network.h"
#include "cuda/kernel_times.h"
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
constexpr double kSpreadingSeconds = 4.0;  // at most: a large network gets less far

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

SelfplayEngineSettings engine_settings(int lanes) {
  SelfplayEngineSettings settings;
  settings.play.simulations = kSimulations;
  settings.rules = {Rules{}};
  settings.rules_cycle = {0};
  settings.seed = 1;
  settings.lanes = lanes;
  settings.total_lanes = lanes;
  return settings;
}

// Milliseconds of each kernel of a wave but for the network's, a figure for each of several stretches.
void bench_kernels(const std::string& name, const Evaluator& evaluator, int lanes, std::vector<BenchResult>& results) {
  constexpr int kWaves = 64;
  KernelTimes times;
  CudaSwitches switches = cuda_switches();
  switches.graphs = false;
  switches.times = &times;
  const CudaSwitchesScope scope(switches);
  const auto engine = make_cuda_selfplay_engine(engine_settings(lanes), evaluator.clone());
  std::vector<MoveRecord> log;
  engine->run(8 * kWaves, log);
  std::map<std::string, std::vector<double>> figures;
  for (int run = 0; run < kRuns; ++run, log.clear()) {
    times.kernels.clear();
    engine->run(kWaves, log);
    for (const auto& [kernel, sum] : times.kernels) figures[kernel].push_back(sum.milliseconds / sum.launches);
  }
  for (const auto& [kernel, values] : figures) results.push_back(summary(name + ".milliseconds." + kernel, "ms", values));
}

// Self-play and the network alone in turns, so that a slow spell of the machine hits both. Adds three rows to `results`, and without graphs those of the kernels.
void bench_size(const std::string& name, const NetworkSettings& network, int lanes, std::vector<BenchResult>& results) {
  log_info("bench: {}, {} lanes", name, lanes);
  const std::vector<Rules> rules{Rules{}};
  const NetworkLayout layout(network);
  const auto evaluator = make_device_network_evaluator(fold_network(layout, initial_weights(layout, 1)), rules, lanes);
  const auto engine = make_cuda_selfplay_engine(engine_settings(lanes), evaluator->clone());
  std::vector<MoveRecord> log;
  const auto begin = Clock::now();
  for (int wave = 0; wave < kSpreadingWaves && seconds_since(begin) < kSpreadingSeconds; wave += 256, log.clear()) engine->run(256, log);
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
  if (!cuda_switches().graphs) bench_kernels(name, *evaluator, lanes, results);
}

struct GpuRow {
  const char* name;
  NetworkSettings network;
  int lanes_of_multiprocessor;
  bool graphs;
};

const std::vector<GpuRow>& rows_of_selfplay() {
  static const NetworkSettings mlp{TrunkKind::mlp, 256, 12}, conv{TrunkKind::conv, 128, 10};
  static const std::vector<GpuRow> rows{
      {"mlp_12x256.16k", mlp, 128, true}, {"mlp_12x256.64k", mlp, 512, true}, {"mlp_12x256.4k", mlp, 32, true}, {"conv_10x128.16k", conv, 128, true}, {"mlp_12x256.16k_eager", mlp, 128, false},
  };
  return rows;
}

const char* const kTrain = "train";

}  // namespace

std::vector<std::string> gpu_rows() {
  std::vector<std::string> names;
  for (const GpuRow& row : rows_of_selfplay()) names.push_back(row.name);
  names.push_back(kTrain);
  return names;
}

std::vector<BenchResult> bench_gpu(const std::vector<std::string>& wanted) {
  if (devices().empty()) {
    log_info("bench: gpu: no device, nothing is measured");
    return {};
  }
  const auto is_wanted = [&wanted](const std::string& name) { return std::find(wanted.begin(), wanted.end(), name) != wanted.end(); };
  std::vector<BenchResult> results;
  for (const GpuRow& row : rows_of_selfplay()) {
    if (!is_wanted(row.name)) continue;
    CudaSwitches switches = cuda_switches();
    switches.graphs = switches.graphs && row.graphs;
    const CudaSwitchesScope scope(switches);
    bench_size("gpu." + std::string(row.name), row.network, row.lanes_of_multiprocessor * devices().front().multiprocessors, results);
  }
  if (is_wanted(kTrain)) results.push_back(bench_training("gpu.train.", NetworkSettings{TrunkKind::mlp, 256, 12}, 8192, LearnsOn::cuda));
  return results;
}

}  // namespace wari
