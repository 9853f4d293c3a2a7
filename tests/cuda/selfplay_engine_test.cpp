#include "cuda/selfplay_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "cuda/batch_search.h"
#include "cuda/device_network.h"
#include "cuda/switches.h"
#include "tests/cuda/needs_gpu.h"
#include "tests/search/search_requests.h"

namespace wari {
namespace {

SelfplayEngineSettings settings_of(Algorithm algorithm, int lanes, int simulations) {
  SelfplayEngineSettings settings;
  settings.search.algorithm = algorithm;
  settings.play.simulations = simulations;
  settings.play.capped_simulations = std::max(1, simulations / 3);
  settings.play.full_search_share = 0.6;
  settings.rules = {parse_rules("abapa"), parse_rules("warri"), parse_rules("awale,laps=two"), parse_rules("relay,seeds_per_pit=2")};
  settings.rules_cycle = {0, 1, 2, 3, 1};
  settings.seed = 11;
  settings.first_game = 120;  // some games of every rule set
  settings.games_end = 120 + 5 * 128;
  settings.lanes = settings.total_lanes = lanes;
  return settings;
}

// All games, ordered by number and ply.
std::vector<MoveRecord> play(SelfplayEngine& engine) {
  std::vector<MoveRecord> log;
  while (!engine.all_idle()) engine.run(100, log);
  std::sort(log.begin(), log.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::tuple(a.game, a.ply) < std::tuple(b.game, b.ply); });
  return log;
}

void expect_same(const std::vector<MoveRecord>& host, const std::vector<MoveRecord>& device) {
  ASSERT_EQ(host.size(), device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    ASSERT_EQ(std::memcmp(&host[i], &device[i], sizeof host[i]), 0) << "game " << host[i].game << " ply " << host[i].ply << ": action " << int{host[i].action} << " and " << int{device[i].action};
  }
}

TEST(CudaSelfplay, WithoutADeviceItIsOneClearError) {
  if (!devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW(make_cuda_selfplay_engine(settings_of(Algorithm::puct, 4, 4), make_uniform_evaluator()), Error);
}

// A failure should tell all in one run: where do the games part?
void tell_first_difference(const SelfplayEngineSettings& settings) {
  CudaSwitches switches = cuda_switches();
  switches.compare = true;
  switches.waves_together = 1;
  const CudaSwitchesScope scope(switches);
  try {
    play(*make_cuda_selfplay_engine(settings, make_device_hash_evaluator(5)));
    ADD_FAILURE() << "wave by wave nothing differs: the graphs or the log are wrong";
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

void expect_games_of_the_host(const SelfplayEngineSettings& settings) {
  const auto host = make_cpu_selfplay_engine(settings, make_hash_evaluator(5)), device = make_cuda_selfplay_engine(settings, make_device_hash_evaluator(5));
  expect_same(play(*host), play(*device));
  if (testing::Test::HasFatalFailure()) tell_first_difference(settings);
  EXPECT_EQ(host->counters().simulations, device->counters().simulations);
  EXPECT_EQ(host->counters().evaluations, device->counters().evaluations);
  EXPECT_EQ(host->counters().games, device->counters().games);
}

TEST(GpuSelfplay, GamesAreTheSameOnHostAndDevice) {
  WARI_NEEDS_GPU();
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    for (const int lanes : {1, 31, 33, 1000}) {
      for (const int simulations : {1, 16, 64, 800}) {
        SelfplayEngineSettings settings = settings_of(algorithm, lanes, simulations);
        settings.games_end = settings.first_game + lanes + lanes / 4 + 1;  // some lanes play a second game
        if (simulations == 800) {
          settings.play.full_search_share = 0.1;
          settings.play.capped_simulations = 20;
        }
        SCOPED_TRACE(std::to_string(lanes) + " lanes, " + std::to_string(simulations) + " simulations");
        expect_games_of_the_host(settings);
        if (HasFatalFailure()) return;  // the first one tells most, and time is short there
      }
    }
  }
}

// What a memory checker watches: short, for it makes everything slow.
TEST(GpuMemory, SixtyFourLanesOfEightSimulations) {
  WARI_NEEDS_GPU();
  SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 64, 8);
  settings.games_end = settings.first_game + 64;
  expect_games_of_the_host(settings);
}

TEST(GpuKernels, EachHasAnImageForThisDevice) {
  WARI_NEEDS_GPU();
  std::vector<KernelImage> images = search_kernel_images();
  for (KernelImage& image : network_kernel_images()) images.push_back(std::move(image));
  EXPECT_GT(images.size(), 30u);
  for (const KernelImage& image : images) {
    EXPECT_EQ(image.error, "") << image.name;
    std::printf("%-40s %3d registers, %zu bytes of local memory\n", image.name.c_str(), image.registers, image.local_bytes);
  }
}

TEST(GpuSelfplay, EveryWaveIsTheHosts) {
  WARI_NEEDS_GPU();
  const CudaSwitchesScope scope(parse_cuda_switches("compare"));
  SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 33, 16);
  const auto engine = make_cuda_selfplay_engine(settings, make_device_hash_evaluator());
  std::vector<MoveRecord> log;
  EXPECT_NO_THROW(engine->run(2000, log));
  EXPECT_GT(log.size(), 1000u);
}

TEST(GpuSelfplay, GamesGoOnAfterSaveAndLoad) {
  WARI_NEEDS_GPU();
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 100, 16);
  const auto whole = make_cpu_selfplay_engine(settings, make_uniform_evaluator());
  const auto first = make_cuda_selfplay_engine(settings, make_device_uniform_evaluator()), second = make_cuda_selfplay_engine(settings, make_device_uniform_evaluator());
  std::vector<MoveRecord> log;
  first->run(300, log);
  first->restart_searches();
  second->load(first->save());
  while (!second->all_idle()) second->run(100, log);
  std::sort(log.begin(), log.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::tuple(a.game, a.ply) < std::tuple(b.game, b.ply); });
  expect_same(play(*whole), log);
}

TEST(CudaBatchSearch, WithoutADeviceItIsOneClearError) {
  if (!devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW(make_cuda_batch_search({}, *make_uniform_evaluator()), Error);
}

TEST(GpuBatchSearch, FindsWhatTheHostFinds) {
  WARI_NEEDS_GPU();
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    BatchSearchSettings settings;
    settings.search.algorithm = algorithm;
    settings.lanes = 100;
    const auto host = make_cpu_batch_search(settings, *make_hash_evaluator(5)), device = make_cuda_batch_search(settings, *make_device_hash_evaluator(5));
    for (const int count : {7, 1000}) {
      const std::vector<RootRequest> requests = many_requests(count);
      const std::vector<RootResult> expected = host->search(requests), got = device->search(requests);
      for (std::size_t i = 0; i < got.size(); ++i) expect_equal(expected[i], got[i]);
    }
  }
}

}  // namespace
}  // namespace wari
