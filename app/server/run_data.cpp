#include "app/server/run_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "app/server/board_json.h"
#include "app/server/run_files.h"
#include "arena/evaluation.h"
#include "core/config.h"
#include "core/error.h"
#include "core/notation.h"
#include "search/move_log.h"
#include "selfplay/game_statistics.h"
#include "selfplay/record.h"
#include "selfplay/replay_game.h"
#include "train/checkpoint.h"

namespace wari {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void flatten(const ConfigNode& node, const std::string& key, Json& values) {
  if (node.kind == ConfigNode::Kind::map) {
    for (const auto& [name, child] : node.children) flatten(child, key.empty() ? name : key + "." + name, values);
    return;
  }
  std::string text = node.text;
  if (node.kind == ConfigNode::Kind::list) {
    for (const auto& [name, child] : node.children) text += (text.empty() ? "" : ", ") + child.text;
  }
  values[key] = text;
}

Json config_json(const fs::path& run) {
  Json values = Json::object();
  const fs::path file = run / "config.yaml";
  if (!lies_within(file, run)) return values;
  try {
    flatten(ConfigSource::from_file(file).root(), "", values);
  } catch (const Error&) {  // not written yet
  }
  return values;
}

Json seconds_since(const fs::path& file) {
  std::error_code failed;
  const auto written = fs::last_write_time(file, failed);
  if (failed) return nullptr;
  return std::max(0.0, std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count());
}

Json points_json(const std::vector<RunCurves::Point>& points) {
  Json list = Json::array();
  for (const auto& [iteration, value] : points) list.push_back({iteration, value});
  return list;
}

Json elo_curve(const Ratings& ratings, std::int64_t since) {
  std::vector<std::pair<std::int64_t, const Rating*>> rated;
  for (const Rating& rating : ratings.players) {
    if (const std::int64_t iteration = checkpoint_iteration(rating.player); iteration > since) rated.emplace_back(iteration, &rating);
  }
  std::sort(rated.begin(), rated.end());
  Json points = Json::array();
  const std::size_t stride = rated.size() / kMostCurvePoints + 1;
  for (std::size_t i = (rated.size() + stride - 1) % stride; i < rated.size(); i += stride) points.push_back({rated[i].first, rated[i].second->elo, rated[i].second->error_95});
  return points;
}

Json plies_json(const GameRecord& record, const Game& game) {
  Json plies = Json::array();
  Game replayed(game.rules(), game.start());
  for (const PlyRecord& ply : record.plies) {
    const bool searched = (ply.flags & (kFlagRandom | kFlagForced)) == 0;
    const bool has_policy = std::any_of(std::begin(ply.policy), std::end(ply.policy), [](std::uint16_t share) { return share != 0; });
    plies.push_back({{"move", move_text(replayed.position(), ply.action)},
                     {"value", searched ? Json(ply.root_value / 32767.0) : Json(nullptr)},
                     {"policy", has_policy ? Json(ply.policy[ply.action] / 65535.0) : Json(nullptr)}});
    replayed.play(ply.action);
  }
  return plies;
}

Json record_json(const GameRecord& record, const Rules& rules) {
  const Game game = resume_game(record, rules);
  return {{"id", record.game},
          {"rules", rules_name(rules)},
          {"start", position_text(record.start)},
          {"moves", line_text(game)},
          {"ended", end_name(record.end)},
          {"stores", {seeds_json(record.south_half_seeds), seeds_json(record.north_half_seeds)}},
          {"plies", plies_json(record, game)}};
}

// Shards of self-play, newest first.
std::vector<std::pair<std::int64_t, fs::path>> shards_of(const fs::path& run) {
  std::vector<std::pair<std::int64_t, fs::path>> shards;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(run / "replay", failed)) {
    const std::string name = entry.path().stem().string();
    std::int64_t iteration = -1;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), iteration);
    if (entry.path().extension() == kRecordExtension && error == std::errc() && rest == name.data() + name.size() && lies_within(entry.path(), run)) shards.emplace_back(iteration, entry.path());
  }
  std::sort(shards.rbegin(), shards.rend());
  return shards;
}

Json checkpoint_json(const NamedCheckpoint& checkpoint, const CheckpointInfo& info, const Rating* rating) {
  Json rules = Json::array();
  for (const auto& [set, weight] : info.rules) rules.push_back(rules_name(set));
  const auto seconds = info.loop.value(nlohmann::json::json_pointer("/counters/seconds_used"), 0.0);
  return {{"name", checkpoint.name},
          {"iteration", info.iteration},
          {"step", info.step},
          {"elo", rating ? Json(rating->elo) : Json(nullptr)},
          {"elo_error_95", rating ? Json(rating->error_95) : Json(nullptr)},
          {"minutes", seconds / 60},
          {"network", network_name(info.network)},
          {"rules", rules},
          {"best", false},
          {"newest", false}};
}

}  // namespace

Json RunData::training(std::int64_t since) {
  const RunCurves::Snapshot snapshot = curves_.read(since);
  Json curves = Json::object();
  Json elo = elo_curve(ratings(), since);
  if (!elo.empty()) curves["elo"] = std::move(elo);
  for (const auto& [name, points] : snapshot.curves) curves[name] = points_json(points);
  return {{"run", run_.filename().string()},
          {"iterations", snapshot.iterations},
          {"seconds_since_last", seconds_since(run_ / "metrics.jsonl")},
          {"config", config_json(run_)},
          {"latest", snapshot.latest},
          {"curves", curves}};
}

Json RunData::games(std::int64_t from, std::int64_t count) const {
  for (const auto& [iteration, file] : shards_of(run_)) {
    try {
      const RecordShard shard = read_records(file);
      Json games = Json::array();
      const auto total = static_cast<std::int64_t>(shard.games.size());
      for (std::int64_t i = from; i < std::min(total, from + count); ++i) {
        const GameRecord& record = shard.games[static_cast<std::size_t>(i)];
        games.push_back(record_json(record, shard.header.rules.at(record.rules_index)));
      }
      return {{"iteration", iteration}, {"total", total}, {"games", games}};
    } catch (const Error&) {  // removed meanwhile, as old shards are, or damaged: an older one will do
    }
  }
  return {{"iteration", nullptr}, {"total", 0}, {"games", Json::array()}};
}

Ratings RunData::ratings() {
  const fs::path file = run_ / "results.sqlite";
  std::error_code failed;
  const auto written = fs::last_write_time(file, failed);
  if (failed || !lies_within(file, run_)) return {};
  const std::lock_guard lock(mutex_);
  if (written == rated_at_) return ratings_;
  try {
    ratings_ = rate_run(ResultsDatabase(file, ResultsDatabase::Access::read));
    rated_at_ = written;
  } catch (const Error&) {  // just being made, or of an older program: no ratings then
  }
  return ratings_;
}

Json RunData::checkpoints(const CheckpointNames& names) { return checkpoints_json(names, ratings()); }

Json checkpoints_json(const CheckpointNames& names, const Ratings& ratings) {
  Json list = Json::array();
  for (const NamedCheckpoint& checkpoint : names.list()) {
    try {
      const CheckpointInfo info = read_checkpoint_info(checkpoint.folder);
      list.push_back(checkpoint_json(checkpoint, info, ratings.find(fmt::format("iteration {}", info.iteration))));
    } catch (const Error&) {  // removed meanwhile
    }
  }
  if (list.empty()) return {{"checkpoints", list}};
  list.back()["newest"] = true;
  Json* best = nullptr;
  for (Json& entry : list) {
    if (entry["elo"].is_number() && (best == nullptr || entry["elo"] >= (*best)["elo"])) best = &entry;
  }
  if (best != nullptr) (*best)["best"] = true;
  return {{"checkpoints", list}};
}

}  // namespace wari
