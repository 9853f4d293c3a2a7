#include "train/memory_need.h"

#include <fmt/core.h>

#include <algorithm>

#include "arena/player.h"
#include "cuda/device_network.h"
#include "endgame/endgame_rules.h"
#include "search/engine_bytes.h"
#include "train/network_evaluator.h"

namespace wari {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kPositionBytes = 70;          // of the window: a sample, and what is kept of its shard
constexpr double kHostBase = 300 * kMiB;       // program, networks, buffers
constexpr double kHostOfCuda = 3000 * kMiB;    // CUDA's and LibTorch's libraries
constexpr double kDeviceBase = 1200 * kMiB;    // context, LibTorch's kernels, workspaces of cuBLAS

SelfplayEngineSettings engine_settings(const TrainingSettings& settings) {
  const RulesMix mix = make_rules_mix(settings.rules);
  SelfplayEngineSettings engine;
  engine.search = settings.selfplay.search;
  engine.play = settings.selfplay.play;
  engine.rules = mix.rules;
  engine.rules_cycle = mix.cycle;
  engine.lanes = settings.selfplay.lanes;
  engine.total_lanes = settings.selfplay.lanes;
  return engine;
}

// The players of an evaluation: the newest network and the one before.
double evaluation_bytes(const TrainingSettings& settings, DeviceNetworkShape shape) {
  if (settings.evaluation.every == 0) return 0;
  SelfplayEngineSettings search = engine_settings(settings);
  search.lanes = SearchPlayerSettings{}.lanes;
  search.play.simulations = search.play.capped_simulations = settings.evaluation.visits;
  shape.rows = search.lanes;
  return 2.0 * static_cast<double>(engine_bytes(search, true).total() + device_weight_bytes(shape) + device_scratch_bytes(shape));
}

// The endgame tables that self-play looks up: one for all rule sets that share their endings.
double endgame_bytes(const TrainingSettings& settings) {
  const EndgameSettings& endgame = settings.selfplay.endgame;
  std::vector<Rules> tables;
  for (const Rules& rules : make_rules_mix(settings.rules).rules) {
    if (endgame.seeds == 0 || rules.laps != Laps::single) continue;
    const Rules part = endgame_rules(rules);
    if (std::find(tables.begin(), tables.end(), part) == tables.end()) tables.push_back(part);
  }
  return static_cast<double>(tables.size()) * first_board(endgame_numbering(), endgame.seeds + 1);
}

// Weights, their average, AdamW's two moments, gradients, and the copies in bfloat16 that autocast makes.
double learner_bytes(const NetworkLayout& layout) { return static_cast<double>(layout.size()) * (5 * sizeof(float) + 2); }

// What the forward pass keeps for the backward pass, and as much again for the gradients: of each token a row of the embedding; of each layer its inputs (three neighbours in conv) and
// product in bfloat16, sum and activation in float32; of each output eight numbers.
double activation_bytes(const NetworkLayout& layout, int batch) {
  const double width = layout.settings().width;
  const double inputs = static_cast<double>(layout.layer_inputs()) / width;
  const double row = kTokens * width * sizeof(float) + layout.layers() * layout.positions() * width * (2 * inputs + 2 + 4 + 4) + kHeadOutputs * 8 * sizeof(float);
  return 2.0 * batch * row;
}

}  // namespace

double MemoryNeed::total() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  return sum;
}

std::string MemoryNeed::text() const {
  std::string text;
  for (const Part& part : parts) text += fmt::format("{}{} {:.0f} MiB", text.empty() ? "" : ", ", part.name, part.bytes / kMiB);
  return text;
}

MemoryNeed host_memory_need(const TrainingSettings& settings, bool on_device) {
  MemoryNeed need;
  if (!on_device) need.parts.push_back({"trees and lanes", static_cast<double>(engine_bytes(engine_settings(settings), true).total())});
  if (settings.selfplay.endgame.seeds > 0) need.parts.push_back({"endgame tables", endgame_bytes(settings)});
  need.parts.push_back({"replay window", static_cast<double>(settings.replay.window_max) * kPositionBytes});
  need.parts.push_back({"program", kHostBase + (on_device ? kHostOfCuda : 0)});
  return need;
}

MemoryNeed device_memory_need(const TrainingSettings& settings, bool window) {
  const SelfplayEngineSettings engine = engine_settings(settings);
  const EngineBytes bytes = engine_bytes(engine, true);
  const NetworkLayout layout(settings.network);
  DeviceNetworkShape shape;
  shape.conv = settings.network.kind == TrunkKind::conv;
  shape.width = settings.network.width;
  shape.layers = layout.layers();
  shape.rule_sets = static_cast<int>(engine.rules.size());
  shape.rows = engine.lanes;
  shape.precision = settings.precision == "float32" ? DevicePrecision::float32 : DevicePrecision::bfloat16;
  MemoryNeed need;
  need.parts.push_back({"trees", static_cast<double>(bytes.trees)});
  need.parts.push_back({"lanes", static_cast<double>(bytes.lanes + bytes.tables)});
  if (settings.selfplay.endgame.seeds > 0) need.parts.push_back({"endgame tables", 2 * endgame_bytes(settings)});  // for the searches, and for adjudication
  need.parts.push_back({"log of moves", 3.0 * static_cast<double>(bytes.log)});  // the lanes' own, and two that the host takes from
  // Self-play's copy, the one that it was made of, and two more while the next network comes.
  need.parts.push_back({"network", 4.0 * static_cast<double>(device_weight_bytes(shape)) + static_cast<double>(device_scratch_bytes(shape))});
  need.parts.push_back({"evaluation", evaluation_bytes(settings, shape)});
  need.parts.push_back({"trainer", learner_bytes(layout) + activation_bytes(layout, settings.trainer.batch)});
  if (window) need.parts.push_back({"replay window", static_cast<double>(window_places(settings.replay)) * sizeof(Sample)});
  need.parts.push_back({"CUDA and LibTorch", kDeviceBase});
  return need;
}

bool window_fits_on_device(const TrainingSettings& settings, double free_bytes) { return device_memory_need(settings).total() < free_bytes; }

}  // namespace wari
