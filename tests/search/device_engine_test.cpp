#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

#include "core/error.h"
#include "search/engine_bytes.h"
#include "search/lanes_batch_search.h"
#include "search/selfplay_lanes.h"
#include "tests/endgame/small_tables.h"
#include "tests/search/fake_device.h"
#include "tests/search/search_requests.h"

// The engine for a GPU, on a device that is none: what the host does between the kernels.
namespace wari {
namespace {

using test::FakeDeviceExecutor;
using test::FakeDeviceHashEvaluator;

SelfplayEngineSettings settings_of(Algorithm algorithm, int lanes) {
  SelfplayEngineSettings settings;
  settings.search.algorithm = algorithm;
  settings.play.simulations = 24;
  settings.play.capped_simulations = 5;
  settings.play.full_search_share = 0.6;
  settings.rules = {parse_rules("abapa"), parse_rules("warri"), parse_rules("awale,laps=two"), parse_rules("relay,seeds_per_pit=2")};
  settings.rules_cycle = {0, 1, 2, 3, 1};
  settings.seed = 11;
  settings.first_game = 120;
  settings.games_end = 146;
  settings.lanes = settings.total_lanes = lanes;
  return settings;
}

template <bool kGraphs = true, class Judge = FakeDeviceHashEvaluator>
std::unique_ptr<SelfplayEngine> fake_device_engine(const SelfplayEngineSettings& settings) {
  using Executor = FakeDeviceExecutor<kGraphs>;
  auto evaluator = std::make_unique<Judge>(0);
  if (needs_twelve_edges(settings)) return std::make_unique<SelfplayLanes<Executor, NarrowNode12>>(settings, std::move(evaluator));
  return std::make_unique<SelfplayLanes<Executor, NarrowNode6>>(settings, std::move(evaluator));
}

void sort_moves(std::vector<MoveRecord>& log) {
  std::sort(log.begin(), log.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::tuple(a.game, a.ply) < std::tuple(b.game, b.ply); });
}

std::vector<MoveRecord> play(SelfplayEngine& engine) {
  std::vector<MoveRecord> log;
  while (!engine.all_idle()) engine.run(37, log);
  sort_moves(log);
  return log;
}

void expect_same(const std::vector<MoveRecord>& host, const std::vector<MoveRecord>& device) {
  ASSERT_EQ(host.size(), device.size());
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(std::memcmp(&host[i], &device[i], sizeof host[i]), 0) << "game " << host[i].game << " ply " << host[i].ply;
}

TEST(DeviceEngine, PlaysTheGamesOfTheHost) {
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    for (const int lanes : {1, 33}) {
      const SelfplayEngineSettings settings = settings_of(algorithm, lanes);
      const auto host = make_cpu_selfplay_engine(settings, make_hash_evaluator()), device = fake_device_engine(settings);
      expect_same(play(*host), play(*device));
      EXPECT_EQ(host->counters().simulations, device->counters().simulations);
      EXPECT_EQ(host->counters().evaluations, device->counters().evaluations);
      EXPECT_EQ(host->counters().moves, device->counters().moves);
      EXPECT_EQ(host->counters().games, device->counters().games);
    }
  }
}

TEST(DeviceEngine, LooksUpTheTablesThatTheHostLooksUp) {
  SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 17);
  settings.tables = small_tables(settings.rules, 7);
  settings.adjudicated_share = 0.7;
  const auto host = make_cpu_selfplay_engine(settings, make_hash_evaluator()), device = fake_device_engine(settings);
  const std::vector<MoveRecord> games = play(*host);
  EXPECT_TRUE(std::any_of(games.begin(), games.end(), [](const MoveRecord& move) { return static_cast<End>(move.end) == End::table; }));
  expect_same(games, play(*device));
}

TEST(DeviceEngine, GamesGoOnAfterSaveAndLoad) {
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 20);
  const auto whole = fake_device_engine(settings), first = fake_device_engine(settings), second = fake_device_engine(settings);
  std::vector<MoveRecord> log;
  first->run(200, log);
  first->restart_searches();
  second->load(first->save());
  while (!second->all_idle()) second->run(50, log);
  sort_moves(log);
  expect_same(play(*whole), log);
}

TEST(DeviceEngine, GraphsRepeatWhatKernelsDoAndTakeTheNewEvaluator) {
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 20);
  std::vector<MoveRecord> logs[2];
  for (const bool graphs : {false, true}) {
    const auto engine = graphs ? fake_device_engine<true>(settings) : fake_device_engine<false>(settings);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      engine->run(100, logs[graphs]);  // twelve graphs, and four waves
      engine->restart_searches();
      engine->set_evaluator(std::make_unique<FakeDeviceHashEvaluator>(seed));
    }
    sort_moves(logs[graphs]);
  }
  EXPECT_GT(logs[0].size(), 200u);
  expect_same(logs[0], logs[1]);
}

TEST(DeviceEngine, AGraphGoesOnWithWeightsThatAreWrittenOver) {
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 20);
  const auto anew = fake_device_engine<false>(settings), over = fake_device_engine<true, test::FakeDeviceNetwork>(settings);
  const int before = test::FakeDevice::instance().captures;
  std::vector<MoveRecord> log_anew, log_over;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    anew->run(100, log_anew);
    anew->restart_searches();
    anew->set_evaluator(std::make_unique<FakeDeviceHashEvaluator>(seed));
    over->run(100, log_over);
    over->restart_searches();
    over->set_evaluator(std::make_unique<test::FakeDeviceNetwork>(seed));
  }
  sort_moves(log_anew);
  sort_moves(log_over);
  EXPECT_GT(log_over.size(), 200u);
  expect_same(log_anew, log_over);
  EXPECT_EQ(test::FakeDevice::instance().captures - before, 1) << "one graph for all networks";
}

TEST(DeviceEngine, WhereNoGraphCanBeMadeGamesGoOnKernelByKernelWithOneWarning) {
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 20);
  const auto never = fake_device_engine<false>(settings), tried = fake_device_engine<true>(settings);
  test::FakeDevice& fake = test::FakeDevice::instance();
  const int before = fake.captures;
  fake.failing_captures = 1;
  std::vector<MoveRecord> log_never, log_tried;
  testing::internal::CaptureStderr();
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    for (const auto& [engine, log] : {std::pair{never.get(), &log_never}, std::pair{tried.get(), &log_tried}}) {
      engine->run(100, *log);
      engine->restart_searches();
      engine->set_evaluator(std::make_unique<FakeDeviceHashEvaluator>(seed));
    }
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(fake.failing_captures, 0) << "none was tried";
  EXPECT_EQ(fake.captures, before) << "it was tried again";
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("a kernel that no graph can hold): kernels are launched one by one"), std::string::npos) << said;
  sort_moves(log_never);
  sort_moves(log_tried);
  EXPECT_GT(log_never.size(), 200u);
  expect_same(log_never, log_tried);
}

// Shows its stream.
struct WatchedExecutor : FakeDeviceExecutor<true> {
  WatchedExecutor() : FakeDeviceExecutor<true>() { newest = static_cast<test::FakeStream*>(stream()); }
  static inline test::FakeStream* newest = nullptr;
};

TEST(DeviceEngine, TheDeviceGoesOnWhileItsMovesAreTaken) {
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 20);
  const auto engine = std::make_unique<SelfplayLanes<WatchedExecutor, NarrowNode6>>(settings, std::make_unique<FakeDeviceHashEvaluator>(0));
  std::vector<MoveRecord> log;
  int parts = 0, under_way = 0;
  const TakeMoves take = [&](std::span<const MoveRecord> moves) {
    log.insert(log.end(), moves.begin(), moves.end());
    ++parts;
    under_way += WatchedExecutor::newest->idle() ? 0 : 1;
  };
  engine->play(8 * 10 + 3, take);
  EXPECT_EQ(parts, 11);
  EXPECT_EQ(under_way, 10) << "nothing follows the last";
  EXPECT_TRUE(WatchedExecutor::newest->idle());
  while (!engine->all_idle()) engine->play(50, take);
  sort_moves(log);
  expect_same(play(*make_cpu_selfplay_engine(settings, make_hash_evaluator())), log);
}

TEST(DeviceEngine, WhetherAllLanesIdleIsKnownWithoutReadingThem) {
  const auto engine = fake_device_engine(settings_of(Algorithm::gumbel, 20));
  const std::size_t& read = test::FakeDevice::instance().bytes_read;
  std::vector<MoveRecord> log;
  for (bool idle = false; !idle;) {
    engine->run(40, log);
    const std::size_t before = read;
    idle = engine->all_idle();
    EXPECT_EQ(read, before);
  }
  engine->set_games_end(150);
  EXPECT_FALSE(engine->all_idle()) << "there are games again";
}

TEST(DeviceEngine, GamesThatAreHeldBackAreTheSameLater) {
  SelfplayEngineSettings settings = settings_of(Algorithm::puct, 9);
  const auto at_once = fake_device_engine(settings);
  settings.games_end = 120;
  const auto held = fake_device_engine(settings);
  std::vector<MoveRecord> log;
  for (std::int64_t end = 125; end <= 146; end += 7) {
    held->set_games_end(end);
    held->run(40, log);
  }
  while (!held->all_idle()) held->run(40, log);
  sort_moves(log);
  expect_same(play(*at_once), log);
}

TEST(DeviceEngineDeathTest, TheFakeDeviceFaultsWhereTheHostFollowsAPointer) {
  const test::FakeDeviceArray<int> array(4);
  EXPECT_EQ(array.read()[2], 0);
  EXPECT_DEATH({ volatile int value = array.data()[0]; (void)value; }, "");
}

TEST(DeviceEngine, MemoryIsToldAsItIsTaken) {
  for (const char* rules : {"abapa", "warri", "abapa,capture=optional"}) {
    for (const auto& [lanes, simulations] : {std::pair{1, 1}, std::pair{33, 24}, std::pair{100, 801}}) {
      SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, lanes);
      settings.rules = {parse_rules(rules)};
      settings.rules_cycle = {0};
      settings.play.simulations = simulations;
      const std::size_t before = test::FakeDevice::instance().memory().bytes();
      const auto engine = fake_device_engine(settings);
      EXPECT_EQ(test::FakeDevice::instance().memory().bytes() - before, engine_bytes(settings, /*tokens=*/false).total()) << rules << ", " << lanes;
    }
  }
  SelfplayEngineSettings with_tables = settings_of(Algorithm::gumbel, 10);
  with_tables.tables = small_tables(with_tables.rules, 4);
  for (const TableSearch search : {TableSearch::none, TableSearch::proven}) {
    for (const double share : {0.0, 1.0}) {
      with_tables.search_tables = search;
      with_tables.adjudicated_share = share;
      const std::size_t before = test::FakeDevice::instance().memory().bytes();
      const auto engine = fake_device_engine(with_tables);
      EXPECT_EQ(test::FakeDevice::instance().memory().bytes() - before, engine_bytes(with_tables, /*tokens=*/false).total());
    }
  }
  const SelfplayEngineSettings settings = settings_of(Algorithm::gumbel, 10);
  EXPECT_EQ(engine_bytes(settings, true).total() - engine_bytes(settings, false).total(), 10 * kBoardTokens * sizeof(Token));
}

// Writes one element past an array of `count`.
struct WriteStep {
  int* array;
  int count;
  void operator()(int) const { array[count] = 1; }
};

TEST(DeviceEngine, AKernelThatWritesBesideABufferIsNoticed) {
  const FakeDeviceExecutor<true> executor;
  const test::FakeDeviceArray<int> array(5, "five numbers");
  executor.each(1, WriteStep{array.data(), 4});
  try {
    executor.each(1, WriteStep{array.data(), 5});
    FAIL() << "nothing was noticed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1 bytes past the end of a buffer of the GPU: 'five numbers'"), std::string::npos) << error.what();
  }
  executor.each(1, WriteStep{array.data(), 4});
}

template <bool kGraphs>
void expect_results_of_the_host(Algorithm algorithm, bool noise) {
  BatchSearchSettings settings;
  settings.search.algorithm = algorithm;
  settings.noise = noise;
  const auto host = make_cpu_batch_search(settings, *make_hash_evaluator());
  settings.lanes = 33;
  LanesBatchSearch<FakeDeviceExecutor<kGraphs>> device(settings, FakeDeviceHashEvaluator());
  for (const int count : {5, 150, 60}) {  // fewer than lanes, then more memory than before, then less
    const std::vector<RootRequest> requests = many_requests(count);
    const std::vector<RootResult> expected = host->search(requests), got = device.search(requests);
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_equal(expected[i], got[i]);
  }
}

TEST(DeviceBatchSearch, FindsWhatTheHostFinds) {
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    for (const bool noise : {false, true}) {
      expect_results_of_the_host<true>(algorithm, noise);
      expect_results_of_the_host<false>(algorithm, noise);
    }
  }
}

TEST(DeviceBatchSearch, ManySimulationsUseTheWideLayout) {
  const RootRequest request = request_of(Game(Rules{}), kNarrowSimulations + 10);
  BatchSearchSettings settings;
  settings.search.algorithm = Algorithm::puct;
  settings.lanes = 1;
  LanesBatchSearch<FakeDeviceExecutor<true>> device(settings, FakeDeviceHashEvaluator());
  expect_equal(make_cpu_batch_search(settings, *make_hash_evaluator())->search({&request, 1}).front(), device.search({&request, 1}).front());
}

}  // namespace
}  // namespace wari
