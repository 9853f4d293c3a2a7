#include <algorithm>

#include "core/config.h"
#include "core/error.h"
#include "core/log.h"
#include "train/run_evaluation.h"
#include "train/run_state.h"

// What a run leaves on disk after an iteration, and how it is read back.
namespace wari {
namespace {

namespace fs = std::filesystem;

nlohmann::json evaluation_to_json(const Evaluation& evaluation) {
  nlohmann::json matches = nlohmann::json::array();
  for (const EvaluationMatch& match : evaluation.matches) {
    const GameCounts& total = match.result.total;
    matches.push_back({{"opponent", match.opponent},
                       {"wins", total.wins},
                       {"draws", total.draws},
                       {"losses", total.losses},
                       {"elo_difference", match.result.elo},
                       {"elo_error_95", match.result.elo_error_95}});
  }
  return matches;
}

// Old checkpoints go, but for the newest few, those on the Elo curve, and those whose networks play. checkpoint.json goes first: a kill in the middle leaves a folder that is no
// checkpoint.
void remove_old_checkpoints(const RunState& run) {
  const std::vector<std::int64_t> present = run.folder.committed_checkpoints();
  const auto keep = static_cast<std::size_t>(run.settings.checkpoints.keep);
  for (std::size_t i = 0; i + keep < present.size(); ++i) {
    if (std::find(run.counters.evaluated.begin(), run.counters.evaluated.end(), present[i]) != run.counters.evaluated.end()) continue;
    if (std::any_of(run.accepted_of.begin(), run.accepted_of.end(), [&](const auto& needed) { return needed.second == present[i]; })) continue;
    const fs::path folder = run.folder.checkpoint(present[i]);
    fs::remove(folder / "checkpoint.json");
    fs::remove_all(folder);
  }
}

void remove_old_shards(const RunState& run) {
  std::vector<std::string> keep;
  for (const auto& [iteration, shards] : run.shards_of) keep.insert(keep.end(), shards.begin(), shards.end());
  run.replay->remove_old_shards(keep);
}

}  // namespace

void remember_needs(RunState& run, std::int64_t iteration, const std::vector<ShardInfo>& shards, std::int64_t accepted) {
  std::vector<std::string>& names = run.shards_of[iteration];
  names.clear();
  for (const ShardInfo& shard : shards) names.push_back(shard.file);
  run.accepted_of[iteration] = accepted;
  const auto keep = static_cast<std::size_t>(run.settings.checkpoints.keep);
  while (run.shards_of.size() > keep) run.shards_of.erase(run.shards_of.begin());
  while (run.accepted_of.size() > keep) run.accepted_of.erase(run.accepted_of.begin());
}

void RunCounters::add(const IterationReport& report, double seconds) {
  iteration = report.iteration;
  games += report.games.games;
  plies += report.games.plies;
  simulations += report.engine.simulations;
  evaluations += report.engine.evaluations;
  seconds_used = seconds;
}

void complete_report(const RunState& run, IterationReport& report) {
  report.step = run.trainer->steps();
  report.seconds_used = run.counters.seconds_used;
  report.total_games = run.counters.games;
  report.samples = run.replay->newest_statistics();
  report.window_positions = run.replay->positions();
  report.total_positions = run.replay->total_positions();
  report.min_positions = run.settings.replay.min_positions;
  report.rejected_games = run.replay->rejected_games();
}

nlohmann::json RunCounters::to_json() const {
  return {{"iteration", iteration},
          {"games", games},
          {"plies", plies},
          {"simulations", simulations},
          {"evaluations", evaluations},
          {"dropped_games", dropped_games},
          {"total_positions", total_positions},
          {"carried_samples", carried_samples},
          {"seconds_used", seconds_used},
          {"evaluated", evaluated},
          {"accepted", accepted},
          {"records_taken", records_taken},
          {"changes", changes},
          {"origin", origin}};
}

RunCounters RunCounters::from_json(const nlohmann::json& value) {
  RunCounters counters;
  value.at("iteration").get_to(counters.iteration);
  value.at("games").get_to(counters.games);
  value.at("plies").get_to(counters.plies);
  value.at("simulations").get_to(counters.simulations);
  value.at("evaluations").get_to(counters.evaluations);
  value.at("dropped_games").get_to(counters.dropped_games);
  value.at("total_positions").get_to(counters.total_positions);
  value.at("carried_samples").get_to(counters.carried_samples);
  value.at("seconds_used").get_to(counters.seconds_used);
  value.at("evaluated").get_to(counters.evaluated);
  counters.accepted = value.value("accepted", std::int64_t{0});  // not in checkpoints from before there were gates
  value.at("records_taken").get_to(counters.records_taken);
  value.at("changes").get_to(counters.changes);
  value.at("origin").get_to(counters.origin);
  return counters;
}

nlohmann::json shards_to_json(const std::vector<ShardInfo>& shards) {
  nlohmann::json list = nlohmann::json::array();
  for (const ShardInfo& shard : shards) {
    list.push_back({{"file", shard.file},
                    {"iteration", shard.iteration},
                    {"games", shard.games},
                    {"positions", shard.positions},
                    {"bytes", shard.bytes},
                    {"hash", shard.hash}});
  }
  return list;
}

std::vector<ShardInfo> shards_from_json(const nlohmann::json& value) {
  std::vector<ShardInfo> shards;
  for (const nlohmann::json& item : value) {
    shards.push_back({item.at("file").get<std::string>(), item.at("iteration").get<std::int64_t>(), item.at("games").get<std::int64_t>(),
                      item.at("positions").get<std::int64_t>(), item.at("bytes").get<std::int64_t>(), item.at("hash").get<std::string>()});
  }
  return shards;
}

void commit_run(RunState& run, const nlohmann::ordered_json& line, const Evaluation* evaluation) {
  run.counters.total_positions = run.replay->total_positions();
  CheckpointInfo info;
  info.run_id = run.run_id;
  info.rules = run.weighted_rules;
  info.network = run.settings.network;
  info.iteration = run.counters.iteration;
  info.step = run.trainer->steps();
  info.loop["counters"] = run.counters.to_json();
  info.loop["shards"] = shards_to_json(run.replay->shards());
  info.loop["configuration"] = config_values(run.settings);
  if (line.is_object()) info.loop["metrics_text"] = line.dump();  // as text, so that a line that has to be written again is the same to the letter
  if (evaluation) {
    info.loop["elo"] = evaluation->rating.elo;
    // Of all checkpoints evaluated so far, from the same games: numbers of different evaluations cannot be compared, since each is of what was known then.
    for (const std::int64_t iteration : run.counters.evaluated) {
      if (const Rating* rating = evaluation->all.find(checkpoint_player_name(iteration))) info.loop["elo_of_iterations"][std::to_string(iteration)] = rating->elo;
    }
    info.loop["matches"] = evaluation_to_json(*evaluation);
  }
  const std::string lanes = run.selfplay ? run.selfplay->save() : "";
  write_checkpoint(run.folder.checkpoint(info.iteration), info, run.trainer->save(), std::as_bytes(std::span(lanes)));
  run.newest = info.iteration;
  run.last_line = line;
  if (line.is_object()) {
    run.events->write(info.iteration, metrics_scalars(line));
    run.folder.append_metrics(line);
  }
  remember_needs(run, info.iteration, run.replay->shards(), run.counters.accepted);
  remove_old_checkpoints(run);
  remove_old_shards(run);
}

}  // namespace wari
