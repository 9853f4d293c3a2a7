#include "train/metrics.h"

#include <fmt/core.h>

#include <cmath>

namespace wari {
namespace {

using Json = nlohmann::ordered_json;

// A number, or null where there is none to speak of.
Json number(bool exists, double value) { return exists && std::isfinite(value) ? Json(value) : Json(nullptr); }
Json rate(double count, double seconds) { return number(seconds > 0, count / seconds); }
Json share(double part, double whole) { return number(whole > 0, part / whole); }

Json games_json(const IterationReport& report) {
  const GameStatistics& games = report.games;
  const auto count = static_cast<double>(games.games);
  Json ends = Json::object();
  for (std::size_t end = 0; end < games.ends.size(); ++end) {
    if (games.ends[end] != 0) ends[end_name(static_cast<End>(end))] = share(static_cast<double>(games.ends[end]), count);
  }
  return {{"finished", games.games},
          {"total", report.total_games},
          {"plies", games.plies},
          {"mean_plies", number(games.games > 0, games.mean_plies())},
          {"shortest_plies", number(games.games > 0, games.shortest)},
          {"longest_plies", number(games.games > 0, games.longest)},
          {"south_win_share", share(static_cast<double>(games.south_wins), count)},
          {"draw_share", share(static_cast<double>(games.draws), count)},
          {"north_win_share", share(static_cast<double>(games.north_wins), count)},
          {"distinct_openings", games.distinct_openings},
          {"distinct_opening_share", share(static_cast<double>(games.distinct_openings), count)},
          {"rejected", report.rejected_games},
          {"ends", ends}};
}

Json search_json(const IterationReport& report) {
  const EngineCounters& engine = report.engine;
  const auto simulations = static_cast<double>(engine.simulations), evaluations = static_cast<double>(engine.evaluations);
  const double seconds = report.seconds.selfplay;
  const GameStatistics& games = report.games;
  const auto searched = static_cast<double>(games.full_searches + games.capped_searches);
  return {{"waves", engine.waves},
          {"moves", engine.moves},
          {"simulations", engine.simulations},
          {"evaluations", engine.evaluations},
          {"bad_outputs", engine.bad_outputs},
          {"simulations_per_second", rate(simulations, seconds)},
          {"evaluations_per_second", rate(evaluations, seconds)},
          {"moves_per_second", rate(static_cast<double>(engine.moves), seconds)},
          {"batch_fill", share(evaluations, static_cast<double>(engine.rows))},
          {"network_share", share(engine.network_seconds, engine.network_seconds + engine.search_seconds)},
          {"full_search_share", share(static_cast<double>(games.full_searches), searched)},
          {"mean_surprise", number(games.full_searches > 0, games.mean_surprise)}};
}

Json replay_json(const IterationReport& report) {
  const bool any = report.samples.positions > 0;
  Json by_ply = Json::array();
  for (const std::int64_t positions : report.samples.by_ply) by_ply.push_back(positions);
  return {{"new_positions", report.samples.positions},
          {"window_positions", report.window_positions},
          {"min_positions", report.min_positions},
          {"total_positions", report.total_positions},
          {"distinct_share", number(any, report.samples.distinct_share)},
          {"most_common_share", number(any, report.samples.most_common_share)},
          {"policy_share", number(any, report.samples.policy_share)},
          {"root_value_error", number(any, report.samples.root_value_error)},
          {"by_ply", by_ply}};
}

Json calibration_json(const TrainReport& training) {
  Json bins = Json::array();
  for (int bin = 0; bin < kCalibrationBins; ++bin) {
    const auto place = static_cast<std::size_t>(bin);
    const double count = training.bin_count[place];
    bins.push_back({{"samples", count}, {"predicted", share(training.bin_predicted[place], count)}, {"outcome", share(training.bin_outcome[place], count)}});
  }
  return bins;
}

Json training_json(const IterationReport& report) {
  const TrainReport& training = report.training;
  const bool any = training.samples > 0, policy = training.policy_samples > 0;
  return {{"steps", training.steps},
          {"skipped_steps", training.skipped_steps},
          {"samples", training.samples},
          {"samples_per_second", rate(static_cast<double>(training.samples), report.seconds.training)},
          {"learning_rate", number(training.steps > 0, report.learning_rate)},
          {"policy_loss", number(policy, training.policy_loss())},
          {"policy_target_entropy", number(policy, training.policy_target_entropy())},
          {"policy_divergence", number(policy, training.policy_loss() - training.policy_target_entropy())},
          {"policy_entropy", number(policy, training.policy_entropy())},
          {"policy_accuracy", number(policy, training.policy_accuracy())},
          {"value_loss", number(any, training.value_loss())},
          {"value_accuracy", number(any, training.value_accuracy())},
          {"value_mean", number(any, training.value_mean())},
          {"value_spread", number(any, training.value_spread())},
          {"calibration_error", number(any, training.calibration_error())},
          {"margin_loss", number(any, training.margin_loss())},
          {"margin_classes_loss", number(any, training.margin_classes_loss())},
          {"plies_left_loss", number(any, training.plies_left_loss())},
          {"gradient_norm", number(training.steps > 0, training.gradient_norm())},
          {"calibration", any ? calibration_json(training) : Json(nullptr)}};
}

Json time_json(const IterationReport& report) {
  const StageSeconds& seconds = report.seconds;
  const double total = seconds.total();
  return {{"seconds", total},
          {"seconds_used", report.seconds_used},
          {"selfplay_share", share(seconds.selfplay, total)},
          {"replay_share", share(seconds.replay, total)},
          {"training_share", share(seconds.training, total)},
          {"evaluation_share", share(seconds.evaluation, total)},
          {"checkpoint_share", share(seconds.checkpoint, total)}};
}

// Choices compared with an endgame table, of the raw policy and of searches.
Json truth_json(const TruthReport& truth) {
  Json json = Json::object();
  for (const TruthResult& result : truth.together) {
    json[result.budget == 0 ? "policy" : "search"] = {
        {"optimal_share", result.optimal_share}, {"error_95", result.error_95}, {"mean_seeds_lost", result.mean_seeds_lost}, {"positions", result.positions}};
  }
  return json;
}

Json evaluation_json(const Evaluation& evaluation) {
  Json matches = Json::object();
  for (const EvaluationMatch& match : evaluation.matches) {
    matches[match.opponent] = {{"score", match.result.total.score()},
                               {"games", match.result.total.games()},
                               {"elo_difference", match.result.elo},
                               {"elo_error_95", match.result.elo_error_95},
                               {"first_player_score", match.result.first_player_score}};
  }
  Json json = {{"elo", evaluation.rating.elo}, {"elo_error_95", evaluation.rating.error_95}, {"games", evaluation.rating.games}, {"matches", matches}};
  json["truth"] = evaluation.truth ? truth_json(*evaluation.truth) : Json(nullptr);
  return json;
}

Json gate_json(const GateReport& gate) {
  const bool played = gate.against > 0;
  return {{"accepted", gate.accepted ? 1 : 0},
          {"against", played ? Json(gate.against) : Json(nullptr)},
          {"games", gate.result.total.games()},
          {"score", number(played, gate.result.total.score())},
          {"elo_difference", number(played, gate.result.elo)},
          {"elo_error_95", number(played, gate.result.elo_error_95)},
          {"llr", number(gate.result.sprt.has_value(), gate.result.sprt ? gate.result.sprt->log_likelihood_ratio() : 0)}};
}

void flatten(const std::string& prefix, const Json& value, std::vector<std::pair<std::string, float>>& scalars) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(prefix.empty() ? key : prefix + "/" + key, inner, scalars);
  } else if (value.is_number()) {
    scalars.emplace_back(prefix, value.get<float>());
  }
}

// The number at a place of the line, NaN where it is null or absent.
double at(const Json& line, const char* group, const char* key) {
  const Json& inner = line.contains(group) ? line.at(group) : line;
  return inner.is_object() && inner.contains(key) && inner.at(key).is_number() ? inner.at(key).get<double>() : std::nan("");
}

}  // namespace

EngineCounters counters_between(const EngineCounters& earlier, const EngineCounters& later) {
  EngineCounters between = later;
  between.add(earlier, -1);
  return between;
}

nlohmann::ordered_json metrics_line(const IterationReport& report) {
  Json line = {{"iteration", report.iteration}, {"step", report.step}};
  line["elo"] = report.evaluation ? Json(report.evaluation->rating.elo) : Json(nullptr);
  line["elo_error_95"] = report.evaluation ? Json(report.evaluation->rating.error_95) : Json(nullptr);
  line["games"] = games_json(report);
  line["search"] = search_json(report);
  line["replay"] = replay_json(report);
  line["training"] = training_json(report);
  line["time"] = time_json(report);
  line["gate"] = report.gate ? gate_json(*report.gate) : Json(nullptr);
  line["evaluation"] = report.evaluation ? evaluation_json(*report.evaluation) : Json(nullptr);
  return line;
}

std::vector<std::pair<std::string, float>> metrics_scalars(const nlohmann::ordered_json& line) {
  std::vector<std::pair<std::string, float>> scalars;
  flatten("", line, scalars);
  std::erase_if(scalars, [](const auto& scalar) { return scalar.first == "iteration"; });
  return scalars;
}

std::string metrics_text(const nlohmann::ordered_json& line) {
  std::string text = fmt::format("iteration {}: {:.0f} games", line.at("iteration").get<std::int64_t>(), at(line, "games", "finished"));
  if (at(line, "search", "simulations") > 0) text += fmt::format(", {:.0f} k simulations/s", at(line, "search", "simulations_per_second") / 1e3);
  if (at(line, "training", "samples") > 0) {
    text += fmt::format("; loss of policy {:.3f}, value {:.3f}", at(line, "training", "policy_divergence"), at(line, "training", "value_loss"));
  } else if (at(line, "replay", "window_positions") < at(line, "replay", "min_positions")) {
    text += fmt::format("; no training yet: {:.0f} of {:.0f} positions", at(line, "replay", "window_positions"), at(line, "replay", "min_positions"));
  }
  if (at(line, "gate", "games") > 0)
    text += fmt::format("; gate: {:.1f} %, {}", 100 * at(line, "gate", "score"), at(line, "gate", "accepted") > 0 ? "accepted" : "rejected");
  if (line.at("elo").is_number()) text += fmt::format("; Elo {:+.0f} +- {:.0f}", at(line, "", "elo"), at(line, "", "elo_error_95"));
  const Json& evaluation = line.contains("evaluation") ? line.at("evaluation") : line;
  if (evaluation.is_object() && evaluation.contains("truth") && evaluation.at("truth").is_object()) {
    const Json& truth = evaluation.at("truth");
    text += fmt::format("; best endgame moves: policy {:.1f} %, search {:.1f} %", 100 * at(truth, "policy", "optimal_share"), 100 * at(truth, "search", "optimal_share"));
  }
  return text;
}

std::vector<std::string> metrics_warnings(const nlohmann::ordered_json& line) {
  std::vector<std::string> warnings;
  const double games = at(line, "games", "finished");
  if (at(line, "search", "bad_outputs") > 0)
    warnings.push_back(fmt::format("the network's answer was not a number for {:.0f} positions: go on from an earlier checkpoint, with a lower trainer.learning_rate",
                                   at(line, "search", "bad_outputs")));
  if (at(line, "training", "skipped_steps") > 0)
    warnings.push_back(fmt::format("{:.0f} optimiser steps had a gradient that was not finite and were skipped: lower trainer.learning_rate",
                                   at(line, "training", "skipped_steps")));
  if (at(line, "training", "value_spread") < 0.02)
    warnings.push_back("the value head answers nearly the same to every position (training.value_spread below 0.02)");
  if (games >= 50 && at(line, "games", "distinct_opening_share") < 0.1)
    warnings.push_back("fewer than a tenth of the games open differently: raise selfplay.opening_plies_max");
  if (at(line, "replay", "most_common_share") > 0.2)
    warnings.push_back(fmt::format("{:.0f} % of the new positions are one and the same", 100 * at(line, "replay", "most_common_share")));
  if (at(line, "search", "batch_fill") < 0.5) warnings.push_back("batches are less than half full (search.batch_fill): use more selfplay.lanes");
  if (games >= 50 && (at(line, "games", "south_win_share") > 0.95 || at(line, "games", "north_win_share") > 0.95))
    warnings.push_back("one seat wins more than 95 % of the games");
  return warnings;
}

}  // namespace wari
