#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/bench.h"
#include "core/game.h"
#include "core/log.h"
#include "core/random.h"
#include "core/tokens.h"
#include "selfplay/selfplay.h"
#include "selfplay/worker_team.h"
#include "train/network.h"
#include "train/network_evaluator.h"
#include "train/replay.h"

namespace wari {
namespace {

constexpr int kRuns = 5;
constexpr int kSimulations = 64;
constexpr double kPlaySeconds = 1.5;      // of one run
constexpr double kNetworkSeconds = 0.7;
constexpr int kWavesAtOnce = 512;         // long enough that workers seldom wait for each other

struct Shape {
  NetworkSettings network;
  int lanes_per_worker;  // trees of 64 lanes are 512 KB, about a second-level cache; 24 to 96 gave the same, 512 a tenth to a third less
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

SelfplaySettings settings_of(int lanes, int simulations) {
  SelfplaySettings settings;
  settings.lanes = lanes;
  settings.play.simulations = simulations;
  return settings;
}

SelfplayOptions options_of(int workers) {
  SelfplayOptions options;
  options.rules = single_rules(Rules{});
  options.seed = 1;
  options.workers = workers;
  return options;
}

// Games at all stages, as in the middle of a run: lanes that all begin at once would all open, then all end. Made by searches of two simulations, which is quick.
std::string games_in_flight(int lanes, int workers) {
  Selfplay selfplay(settings_of(lanes, 2), options_of(workers), *make_uniform_evaluator());
  std::vector<GameRecord> finished;
  selfplay.run(1500, finished);
  return selfplay.save();
}

// Batches of positions from random games, ready for the network.
class PositionBatches {
 public:
  PositionBatches(int rows, int batches) : rows_(rows), positions_(static_cast<std::size_t>(rows * batches)), tokens_(positions_.size() * kBoardTokens) {
    Game game(rules_[0]);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (game.is_over()) game = Game(rules_[0]);
      positions_[i] = game.position();
      encode_board(sowing_tables(), rules_[0], game.position(), game.quiet_plies(), &tokens_[i * kBoardTokens]);
      std::uint32_t choice = random_below(random_bits(1, i, 0, Purpose::test, 0), static_cast<std::uint32_t>(__builtin_popcount(game.legal())));
      int action = 0;
      while (!(game.legal() >> action & 1) || choice-- > 0) ++action;
      game.play(action);
    }
    quiet_plies_.assign(static_cast<std::size_t>(rows), 0);
    rules_index_.assign(static_cast<std::size_t>(rows), 0);
    active_.assign(static_cast<std::size_t>(rows), 1);
  }

  EvaluationBatch batch(int number) const {
    const std::size_t first = static_cast<std::size_t>(number) % (positions_.size() / static_cast<std::size_t>(rows_)) * static_cast<std::size_t>(rows_);
    EvaluationBatch batch;
    batch.rows = rows_;
    batch.positions = &positions_[first];
    batch.quiet_plies = quiet_plies_.data();
    batch.rules_index = rules_index_.data();
    batch.rules = rules_;
    batch.board_tokens = &tokens_[first * kBoardTokens];
    batch.active = active_.data();
    return batch;
  }

 private:
  int rows_;
  std::vector<Rules> rules_{Rules{}};
  std::vector<Position> positions_;        // [batches, rows]
  std::vector<Token> tokens_;              // [batches, rows, kBoardTokens]
  std::vector<std::uint16_t> quiet_plies_; // [rows]
  std::vector<std::uint8_t> rules_index_, active_;
};

// Evaluations a second of the network alone, on all workers at once.
double network_rate(const Evaluator& evaluator, int rows, WorkerTeam& team) {
  constexpr int kBatches = 16;
  std::vector<double> rates(static_cast<std::size_t>(team.workers()));
  const PositionBatches positions(rows, kBatches);
  team.run([&](int worker) {
    const auto own = evaluator.clone();
    std::vector<float> outputs(static_cast<std::size_t>(rows) * kOutputs);
    for (int i = 0; i < kBatches; ++i) own->evaluate(positions.batch(i), outputs.data());
    const auto start = Clock::now();
    std::int64_t evaluated = 0;
    for (int i = 0; seconds_since(start) < kNetworkSeconds; ++i, evaluated += rows) own->evaluate(positions.batch(i), outputs.data());
    rates[static_cast<std::size_t>(worker)] = static_cast<double>(evaluated) / seconds_since(start);
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

struct Rates {
  std::vector<double> simulations, network, efficiency;
};

// One run: self-play with its records written and taken into the window as in training, then the network alone, so that a slow spell of the machine hits both.
void measure_once(Selfplay& selfplay, Replay& replay, const Evaluator& evaluator, WorkerTeam& team, std::int64_t iteration, Rates& rates) {
  const EngineCounters before = selfplay.counters();
  const auto start = Clock::now();
  std::vector<GameRecord> finished;
  while (seconds_since(start) < kPlaySeconds) selfplay.run(kWavesAtOnce, finished);
  replay.add(iteration, std::move(finished));
  replay.remove_old_shards({});
  const double seconds = seconds_since(start);
  const EngineCounters after = selfplay.counters();
  rates.simulations.push_back(static_cast<double>(after.simulations - before.simulations) / seconds);
  rates.network.push_back(network_rate(evaluator, selfplay.lanes() / team.workers(), team));
  rates.efficiency.push_back(static_cast<double>(after.evaluations - before.evaluations) / seconds / rates.network.back());
}

std::vector<BenchResult> bench_shape(const Shape& shape, const std::filesystem::path& folder) {
  const std::string name = "selfplay." + network_name(shape.network);
  log_info("bench: {}", name);
  const int workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int lanes = shape.lanes_per_worker * workers;
  const std::vector<Rules> rules{Rules{}};
  const NetworkLayout layout(shape.network);
  const auto evaluator = make_network_evaluator(fold_network(layout, initial_weights(layout, 1)), rules);
  Selfplay selfplay(settings_of(lanes, kSimulations), options_of(workers), *evaluator);
  selfplay.load(games_in_flight(lanes, workers), "lanes of the benchmark");
  Replay replay(ReplaySettings{}, rules, 1, folder / name, "bench");
  WorkerTeam team(workers);
  Rates warm_up, rates;
  measure_once(selfplay, replay, *evaluator, team, 0, warm_up);
  for (int run = 1; run <= kRuns; ++run) measure_once(selfplay, replay, *evaluator, team, run, rates);
  return {summary(name + ".simulations_per_second", "1/s", rates.simulations), summary(name + ".network_evaluations_per_second", "1/s", rates.network),
          summary(name + ".efficiency", "1", rates.efficiency)};
}

}  // namespace

std::vector<BenchResult> bench_selfplay() {
  const Shape shapes[] = {{{TrunkKind::mlp, 64, 2}, 64}, {{TrunkKind::mlp, 256, 3}, 64}, {{TrunkKind::conv, 64, 4}, 64}};
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("wari-bench-" + std::to_string(getpid()));
  std::vector<BenchResult> results;
  for (const Shape& shape : shapes) {
    for (BenchResult& result : bench_shape(shape, folder)) results.push_back(std::move(result));
  }
  std::filesystem::remove_all(folder);
  return results;
}

}  // namespace wari
