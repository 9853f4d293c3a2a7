#include "cuda/self_test.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "cuda/device_network.h"
#include "cuda/rules_check.h"
#include "cuda/selfplay_engine.h"
#include "cuda/switches.h"

namespace wari {
namespace {

std::vector<MoveRecord> games_of(SelfplayEngine& engine) {
  std::vector<MoveRecord> log;
  while (!engine.all_idle()) engine.run(256, log);
  std::sort(log.begin(), log.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::tuple(a.game, a.ply) < std::tuple(b.game, b.ply); });
  return log;
}

bool are_same(const std::vector<MoveRecord>& host, const std::vector<MoveRecord>& device) {
  return std::equal(host.begin(), host.end(), device.begin(), device.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::memcmp(&a, &b, sizeof a) == 0; });
}

// The same games once more, wave by wave beside the CPU: where do they part?
std::string first_difference(const SelfplayEngineSettings& settings) {
  CudaSwitches switches = cuda_switches();
  switches.compare = true;
  switches.waves_together = 1;
  const CudaSwitchesScope scope(switches);
  try {
    games_of(*make_cuda_selfplay_engine(settings, make_device_hash_evaluator()));
  } catch (const Error& error) {
    return error.what();
  }
  return "its games differ from the CPU's, but none did when they were played again wave by wave: the graphs or the log are wrong, or the device is not reliable: try WARI_CUDA=no-graphs";
}

}  // namespace

SelfTest test_device_rules(int games) {
  for (const auto& [name, rules] : rule_presets()) {
    const auto host = trace_games_on_host(rules, 7, games), device = trace_games_on_device(rules, 7, games);
    for (std::size_t game = 0; game < host.size(); ++game) {
      if (host[game].hash == device[game].hash) continue;
      return {"random game " + std::to_string(game) + " of rule set '" + name + "' differs from the CPU's: nothing is trained on this GPU; try another driver", ""};
    }
  }
  return {"", std::to_string(games) + " random games of each rule set are the CPU's"};
}

SelfTest test_device_product() {
  constexpr int kRows = 512, kInputs = 256, kColumns = 64;
  const auto numbers = [](int count, std::uint64_t seed) {  // -3 .. 3
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(random_below(random_bits(seed, static_cast<std::uint64_t>(i), 0, Purpose::test, 0), 7)) - 3.0f);
    return values;
  };
  const std::vector<float> x = numbers(kRows * kInputs, 1), weight = numbers(kColumns * kInputs, 2), bias = numbers(kColumns, 3);
  const std::vector<float> got = multiply_on_device(x, weight, bias, kRows, kInputs, kColumns);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      float expected = bias[static_cast<std::size_t>(column)];
      for (int i = 0; i < kInputs; ++i) expected += x[static_cast<std::size_t>(row * kInputs + i)] * weight[static_cast<std::size_t>(column * kInputs + i)];
      const float found = got[static_cast<std::size_t>(row * kColumns + column)];
      if (found == expected) continue;
      return {"cuBLASLt multiplies wrongly: row " + std::to_string(row) + ", column " + std::to_string(column) + " is " + std::to_string(found) + " instead of " + std::to_string(expected) +
                  ": check that the driver fits the runtime (nvidia-smi)", ""};
    }
  }
  return {"", "a product of 512 x 256 x 64 in bfloat16 is exact"};
}

SelfTest test_device_trees(int games) {
  std::size_t moves = 0;
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    SelfplayEngineSettings settings;
    settings.search.algorithm = algorithm;
    settings.rules = {parse_rules("abapa"), parse_rules("awale,laps=two"), parse_rules("warri")};
    settings.rules_cycle = {0, 1, 2};
    settings.lanes = 512;
    settings.total_lanes = settings.lanes;
    settings.games_end = games;
    const std::vector<MoveRecord> host = games_of(*make_cpu_selfplay_engine(settings, make_hash_evaluator()));
    if (!are_same(host, games_of(*make_cuda_selfplay_engine(settings, make_device_hash_evaluator())))) return {first_difference(settings), ""};
    moves += host.size();
  }
  return {"", std::to_string(moves) + " moves of " + std::to_string(2 * games) + " games are the CPU's"};
}

}  // namespace wari
