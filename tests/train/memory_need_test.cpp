#include "train/memory_need.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wari {
namespace {

constexpr double kGiB = 1 << 30;

double part_of(const MemoryNeed& need, const std::string& name) {
  for (const MemoryNeed::Part& part : need.parts) {
    if (part.name == name) return part.bytes;
  }
  return -1;
}

TrainingSettings settings_of(int lanes, int simulations, const NetworkSettings& network) {
  TrainingSettings settings;
  settings.selfplay.lanes = lanes;
  settings.selfplay.play.simulations = simulations;
  settings.network = network;
  return settings;
}

TEST(MemoryNeed, SixtyFourThousandLanesStayBelowTwentyGiB) {
  TrainingSettings settings = settings_of(67584, 64, {TrunkKind::mlp, 256, 12});
  settings.trainer.batch = 8192;
  const MemoryNeed need = device_memory_need(settings);
  EXPECT_EQ(part_of(need, "trees"), 67584.0 * 65 * 128);
  EXPECT_EQ(part_of(need, "log of moves"), 67584.0 * 3 * 8 * 64);
  EXPECT_LT(need.total(), 20 * kGiB) << need.text();
}

TEST(MemoryNeed, TheReplayWindowIsOnTheGpuWhereItFitsBesideAllElse) {
  TrainingSettings settings = settings_of(4096, 32, {TrunkKind::mlp, 64, 2});
  settings.replay.window_max = 8'000'000;
  const double with = device_memory_need(settings).total(), without = device_memory_need(settings, false).total();
  EXPECT_EQ(part_of(device_memory_need(settings), "replay window"), 10'000'000.0 * 64);
  EXPECT_EQ(part_of(device_memory_need(settings, false), "replay window"), -1);
  EXPECT_EQ(with - without, 10'000'000.0 * 64);
  EXPECT_TRUE(window_fits_on_device(settings, with + 1));
  EXPECT_FALSE(window_fits_on_device(settings, with - 1));
}

TEST(MemoryNeed, GrowsWithWhatTakesIt) {
  const TrainingSettings small = settings_of(4096, 32, {TrunkKind::conv, 64, 4});
  const MemoryNeed need = device_memory_need(small);
  const auto grown = [&need, &small](const char* part, auto change) {
    TrainingSettings settings = small;
    change(settings);
    return part_of(device_memory_need(settings), part) / part_of(need, part);
  };
  EXPECT_EQ(grown("trees", [](TrainingSettings& s) { s.selfplay.lanes = 8192; }), 2);
  EXPECT_GT(grown("lanes", [](TrainingSettings& s) { s.selfplay.lanes = 8192; }), 1.9);
  EXPECT_GT(grown("trainer", [](TrainingSettings& s) { s.trainer.batch *= 2; }), 1.8);
  EXPECT_GT(grown("network", [](TrainingSettings& s) { s.precision = "float32"; }), 1.2);
  EXPECT_EQ(grown("evaluation", [](TrainingSettings& s) { s.evaluation.every = 0; }), 0);
  TrainingSettings large = small;
  large.replay.window_max *= 2;
  EXPECT_GT(host_memory_need(large, true).total(), host_memory_need(small, true).total());
  EXPECT_GT(part_of(host_memory_need(small, false), "trees and lanes"), 0);
  EXPECT_EQ(part_of(host_memory_need(small, true), "trees and lanes"), -1) << "they are in the GPU's memory";
}

}  // namespace
}  // namespace wari
