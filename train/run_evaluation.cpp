#include "train/run_evaluation.h"

#include <fmt/core.h>

#include "train/checkpoint_evaluator.h"
#include "train/network_evaluator.h"

namespace wari {
namespace {

// The player that `search:checkpoint=...,visits=N` of the command line is: PUCT, a fresh tree each move, no noise.
std::unique_ptr<Player> checkpoint_player(const RunState& run, std::int64_t iteration, const Evaluator& evaluator) {
  SearchPlayerSettings search;
  search.visits = run.settings.evaluation.visits;
  search.search.algorithm = Algorithm::puct;
  search.workers = run.settings.workers;
  return make_search_player(checkpoint_player_name(iteration), search, evaluator);
}

}  // namespace

std::string checkpoint_player_name(std::int64_t iteration) { return fmt::format("iteration {}", iteration); }

bool is_evaluated(const EvaluationSettings& settings, std::int64_t iteration) { return settings.every > 0 && iteration % settings.every == 0; }

std::optional<Evaluation> evaluate_run(RunState& run, std::int64_t iteration, const std::function<bool(const MatchProgress&)>& watch) {
  const TrainingSettings& settings = run.settings;
  const bool cuda = settings.device == "cuda";
  const std::vector<Rules> rules{run.rules.rules.front()};
  const int lanes = SearchPlayerSettings{}.lanes;
  std::unique_ptr<Player> previous;
  if (settings.evaluation.previous && !run.counters.evaluated.empty()) {
    const std::int64_t before = run.counters.evaluated.back();
    CheckpointEvaluatorSettings wanted;
    wanted.precision = settings.precision;
    wanted.rules = rules;
    const std::filesystem::path folder = run.folder.checkpoint(before);
    previous = checkpoint_player(run, before, *(cuda ? load_device_checkpoint_evaluator(folder, rules, lanes) : load_checkpoint_evaluator(folder, wanted)));
  }
  const std::unique_ptr<Player> newest = checkpoint_player(run, iteration, *(cuda ? make_device_network_evaluator(run.trainer->folded(), rules, lanes) : run.evaluator()));
  PlayerEnvironment environment;
  environment.workers = settings.workers;
  environment.seed = settings.seed;
  Evaluation evaluation = evaluate_player(settings.evaluation, rules.front(), settings.seed, static_cast<int>(iteration), *newest, previous.get(),
                                          environment, *run.results, watch);
  if (!evaluation.complete) return std::nullopt;
  run.counters.evaluated.push_back(iteration);
  return evaluation;
}

}  // namespace wari
