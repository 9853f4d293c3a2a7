#include "train/run_evaluation.h"

#include <fmt/core.h>

#include <algorithm>

#include "train/network_evaluator.h"

namespace wari {
namespace {

// The player that `search:checkpoint=...,visits=N` of the command line is: PUCT, a fresh tree each move, no noise.
SearchPlayerSettings player_settings(const RunState& run) {
  SearchPlayerSettings search;
  search.visits = run.settings.evaluation.visits;
  search.workers = run.settings.workers;
  return search;
}

std::unique_ptr<Player> checkpoint_player(const RunState& run, std::int64_t iteration, const Evaluator& evaluator) {
  return make_search_player(checkpoint_player_name(iteration), player_settings(run), evaluator);
}

const int kLanes = SearchPlayerSettings{}.lanes;

std::unique_ptr<Player> newest_player(const RunState& run, std::int64_t iteration, const std::vector<Rules>& rules) {
  return checkpoint_player(run, iteration, *(run.on_device ? make_device_network_evaluator(run.trainer->folded(), rules, kLanes, run.settings.precision) : run.evaluator()));
}

// The raw policy and the search against the endgame table.
TruthReport measure_truth_of(RunState& run, const std::vector<Rules>& rules, const std::function<bool(const MatchProgress&)>& watch) {
  const TrainingSettings& settings = run.settings;
  if (!run.truth_positions) {
    TruthSettings wanted;
    wanted.rules = rules.front();
    wanted.seeds_high = run.truth->seeds();
    wanted.seeds_low = std::max(settings.selfplay.endgame.seeds + 1, run.truth->seeds() - 2);
    wanted.positions = settings.evaluation.truth_positions;
    wanted.workers = settings.workers;
    run.truth_positions = std::make_unique<TruthPositions>(truth_positions(*run.truth, wanted));
  }
  const std::unique_ptr<Evaluator> evaluator = run.evaluator();
  const SearchPlayerSettings search = player_settings(run);
  const BudgetPlayer player = [&](int budget) {
    return budget == 0 ? make_policy_player("policy", evaluator->clone()) : make_search_player("search", search, *evaluator);
  };
  const auto positions = static_cast<int>(run.truth_positions->choices.size());
  return measure_truth(*run.truth_positions, {0, search.visits}, player, *evaluator, [&](double share) {
    MatchProgress progress;
    progress.games = positions;
    progress.finished = static_cast<int>(share * positions);
    return watch(progress);
  });
}

}  // namespace

std::string checkpoint_player_name(std::int64_t iteration) { return fmt::format("iteration {}", iteration); }

bool is_evaluated(const EvaluationSettings& settings, std::int64_t iteration) { return settings.every > 0 && iteration % settings.every == 0; }

std::optional<Evaluation> evaluate_run(RunState& run, std::int64_t iteration, const std::function<bool(const MatchProgress&)>& watch) {
  const TrainingSettings& settings = run.settings;
  const std::vector<Rules> rules{run.rules.rules.front()};
  std::unique_ptr<Player> previous;
  if (settings.evaluation.previous && !run.counters.evaluated.empty()) {
    const std::int64_t before = run.counters.evaluated.back();
    previous = checkpoint_player(run, before, *run.checkpoint_evaluator(before, rules, kLanes));
  }
  const std::unique_ptr<Player> newest = newest_player(run, iteration, rules);
  PlayerEnvironment environment;
  environment.workers = settings.workers;
  environment.seed = settings.seed;
  Evaluation evaluation = evaluate_player(settings.evaluation, rules.front(), settings.seed, static_cast<int>(iteration), *newest, previous.get(),
                                          environment, *run.results, watch);
  if (evaluation.complete && run.truth) evaluation.truth = measure_truth_of(run, rules, watch);
  if (!evaluation.complete || (evaluation.truth && !evaluation.truth->complete)) return std::nullopt;
  run.counters.evaluated.push_back(iteration);
  return evaluation;
}

std::optional<GateReport> judge_newest(const RunState& run, std::int64_t iteration, const std::function<bool(const MatchProgress&)>& watch) {
  GateReport report;
  report.against = run.counters.accepted;
  report.accepted = report.against == 0;
  if (report.accepted) return report;
  const std::vector<Rules> rules{run.rules.rules.front()};
  const EvaluationSettings& settings = run.settings.evaluation;
  const std::unique_ptr<Player> newest = newest_player(run, iteration, rules);
  const std::unique_ptr<Player> playing = checkpoint_player(run, report.against, *run.checkpoint_evaluator(report.against, rules, kLanes));
  report.result = play_match(gate_match(settings.gate, rules.front(), settings.opening_plies, run.settings.seed, iteration), *newest, *playing, watch);
  if (!report.result.complete) return std::nullopt;
  report.accepted = gate_accepts(settings.gate, report.result);
  return report;
}

}  // namespace wari
