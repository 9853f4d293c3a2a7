#include "app/bench.h"
#include "core/rules.h"
#include "search/selfplay_engine.h"

namespace wari {
namespace {

// Whole games on one thread, hash evaluator, 64 simulations a move; the lanes are spread over all stages of a game before the clock starts. 128 of them: their trees take
// 1 MiB, as much as the second-level cache of one core, while a network would want more rows at once.
BenchResult bench_algorithm(const std::string& name, Algorithm algorithm) {
  SelfplayEngineSettings settings;
  settings.search.algorithm = algorithm;
  settings.play.simulations = 64;
  settings.rules = {parse_rules("abapa")};
  settings.rules_cycle = {0};
  settings.seed = 1;
  settings.lanes = 128;
  settings.total_lanes = settings.lanes;
  const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator());
  std::vector<MoveRecord> log;
  engine->run(10000, log);
  return measure_rate(name, [&engine, &log] {
    log.clear();
    const std::int64_t before = engine->counters().simulations;
    engine->run(20000, log);
    return static_cast<double>(engine->counters().simulations - before);
  }, 7);
}

}  // namespace

std::vector<BenchResult> bench_search() {
  return {bench_algorithm("search.puct_hash_simulations_per_second", Algorithm::puct), bench_algorithm("search.gumbel_hash_simulations_per_second", Algorithm::gumbel)};
}

}  // namespace wari
