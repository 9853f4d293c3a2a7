#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "search/inspected_engine.h"
#include "search/selfplay_lanes.h"
#include "tests/search/fake_device.h"

// The comparison of a device's lanes with the CPU's: silent where they agree, and exact where they do not.
namespace wari {
namespace {

using test::FakeDeviceExecutor;
using test::FakeDeviceHashEvaluator;

constexpr int kLane = 17;
constexpr int kWave = 203;

// What goes wrong, in lane kLane after wave kWave.
enum class Fault { none, edge_visits, value_of_child, history, token };

template <class N>
struct FaultStep {
  SearchView<N> view;
  Fault fault;
  std::shared_ptr<int> waves;

  void operator()(int) const {
    if ((*waves)++ != kWave) return;
    SearchLane& lane = view.lanes[kLane];
    N* const nodes = view.tree(kLane);
    if (fault == Fault::edge_visits) ++nodes[0].edge_visits[first_edge(nodes[0])];
    if (fault == Fault::value_of_child) nodes[1].value = -nodes[1].value;
    if (fault == Fault::history) const_cast<Position*>(lane.history)[lane.root_quiet].mover ^= 1;
    if (fault == Fault::token) view.leaves.tokens[kLane * kBoardTokens + 3] ^= 1;
  }
  static int first_edge(const N& node) {
    int edge = 0;
    while (((node.legal >> edge) & 1) == 0) ++edge;
    return edge;
  }
};

Fault fault_of_executor = Fault::none;  // executors are made without arguments

// A device with graphs of one wave, and a fault in one of them.
class FaultyExecutor : public FakeDeviceExecutor<true, 1> {
 public:
  template <class Prefetch, class... Steps>
  void wave(int lanes, const Prefetch& prefetch, const Steps&... steps) const {
    FakeDeviceExecutor<true, 1>::wave(lanes, prefetch, steps...);
    constexpr bool kLastOfWave = sizeof...(Steps) == 3;
    if constexpr (kLastOfWave) FakeDeviceExecutor<true, 1>::wave(1, prefetch, FaultStep<std::remove_cvref_t<decltype(*prefetch.view.nodes)>>{prefetch.view, fault_, waves_});
  }

 private:
  Fault fault_ = fault_of_executor;
  std::shared_ptr<int> waves_ = std::make_shared<int>(0);
};

// Reads tokens, so that engines encode them.
class TokenEvaluator final : public Evaluator {
 public:
  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override { hash_.evaluate(batch, outputs); }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<TokenEvaluator>(); }

 private:
  FakeDeviceHashEvaluator hash_;
};

SelfplayEngineSettings settings_of(Algorithm algorithm) {
  SelfplayEngineSettings settings;
  settings.search.algorithm = algorithm;
  settings.play.simulations = 24;
  settings.play.capped_simulations = 5;
  settings.play.full_search_share = 0.6;
  settings.rules = {parse_rules("abapa"), parse_rules("warri"), parse_rules("awale,laps=two")};
  settings.rules_cycle = {0, 1, 2};
  settings.seed = 11;
  settings.first_game = 110;
  settings.games_end = 145;
  settings.lanes = settings.total_lanes = 33;
  return settings;
}

template <class Executor>
std::unique_ptr<SelfplayEngine> comparing(const SelfplayEngineSettings& settings, Fault fault = Fault::none) {
  fault_of_executor = fault;
  return make_comparing_engine(settings, std::make_unique<SelfplayLanes<Executor, NarrowNode6>>(settings, std::make_unique<TokenEvaluator>()));
}

std::string message_of(Fault fault) {
  const auto engine = comparing<FaultyExecutor>(settings_of(Algorithm::gumbel), fault);
  std::vector<MoveRecord> log;
  try {
    engine->run(1000, log);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    return error.what();
  }
  return "nothing";
}

TEST(ComparingEngine, IsSilentWhereADeviceDoesWhatTheHostDoes) {
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    const auto engine = comparing<FakeDeviceExecutor<true, 1>>(settings_of(algorithm));
    std::vector<MoveRecord> log;
    engine->run(150, log);
    engine->restart_searches();
    engine->load(engine->save());
    engine->set_evaluator(std::make_unique<TokenEvaluator>());
    while (!engine->all_idle()) engine->run(100, log);
    EXPECT_EQ(engine->counters().games, 35);
    EXPECT_EQ(engine->counters().moves, static_cast<std::int64_t>(log.size()));
  }
}

TEST(ComparingEngine, NamesLaneWaveNodeAndFieldOfTheFirstDifference) {
  EXPECT_EQ(message_of(Fault::none), "nothing");
  const std::string place = "lane 17, wave 203, ";
  const std::string visits = message_of(Fault::edge_visits), value = message_of(Fault::value_of_child), history = message_of(Fault::history), token = message_of(Fault::token);
  EXPECT_NE(visits.find(place + "node 0 edge_visits["), std::string::npos) << visits;
  EXPECT_NE(visits.find("(1 of 33 lanes differ)"), std::string::npos) << visits;
  EXPECT_NE(value.find(place + "node 1 value: CPU "), std::string::npos) << value;
  EXPECT_NE(history.find(place + "history.mover["), std::string::npos) << history;
  EXPECT_NE(token.find(place + "token[3]: CPU "), std::string::npos) << token;
}

}  // namespace
}  // namespace wari
