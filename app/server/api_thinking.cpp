#include <fmt/core.h>

#include "app/engine_strength.h"
#include "app/server/api.h"
#include "app/server/think_json.h"
#include "arena/results.h"
#include "core/error.h"
#include "core/log.h"
#include "core/notation.h"
#include "core/random.h"
#include "search/signature.h"
#include "train/checkpoint.h"

// The routes of api.h that think, and the one that says who does.
namespace wari {
namespace {

using Json = nlohmann::ordered_json;

// What a person may choose from, weakest first. `elo`: on the scale of app/engine_strength.h, which was measured with a network; 0: not limited so.
struct NamedStrength {
  const char* name;
  int elo;
  std::int64_t visits;
  std::int64_t movetime_ms;
};
constexpr NamedStrength kStrengths[] = {{"First steps", 200, 0, 0}, {"Beginner", 500, 0, 0},    {"Casual", 800, 0, 0},     {"Club", 1200, 0, 0},
                                        {"Strong", 1600, 0, 0},     {"Expert", 0, 200, 0},      {"Master", 0, 1600, 0},    {"Grandmaster", 0, 12'800, 0},
                                        {"Full strength", 0, 0, 3000}};

Json strengths_json(bool network) {
  Json list = Json::array();
  for (const NamedStrength& strength : kStrengths) {
    const Json chosen = strength.elo > 0 ? Json{{"elo", strength.elo}} : strength.visits > 0 ? Json{{"visits", strength.visits}} : Json{{"movetime_ms", strength.movetime_ms}};
    list.push_back({{"name", strength.name}, {"strength", chosen}, {"elo", strength.elo > 0 && network ? Json(strength.elo) : Json(nullptr)}});
  }
  return list;
}

// `visits` or `movetime_ms`, and not both.
void read_limits(Fields& fields, ThinkRequest& think) {
  const bool visits = fields.has("visits"), time = fields.has("movetime_ms");
  if (visits == time) throw HttpError(400, "visits or movetime_ms: the request's body: give one of them");
  if (visits) think.visits = fields.whole("visits", 1, kMostVisits);
  if (time) think.time = std::chrono::milliseconds(fields.whole("movetime_ms", 1, kMostMovetimeMs));
}

// A limited strength is what a fresh tree of so many visits finds.
Strength read_strength(Fields fields, ThinkRequest& think) {
  Strength strength;
  if (fields.has("elo")) {
    strength = strength_of_elo(static_cast<int>(fields.whole("elo", kLowestElo, kHighestElo)));
    think.visits = strength.visits;
  } else {
    read_limits(fields, think);
  }
  fields.done();
  think.engine.fresh = think.visits.has_value();
  think.engine.brief = think.visits.value_or(0) <= 12'800 && think.time.value_or(std::chrono::milliseconds(0)) <= std::chrono::milliseconds(3000);
  return strength;
}

// A run that is training removes its old checkpoints, maybe just the one that was chosen a moment ago: then the choice is made again.
template <class Choose>
auto while_checkpoints_go(Choose choose) {
  for (int tries_left = 2; tries_left > 0; --tries_left) {
    try {
      return choose();
    } catch (const Error&) {
    }
  }
  return choose();
}

// What an Error says about a checkpoint, with its name in place of the folder: where it lies is nobody's business.
std::string named_reason(std::string reason, const std::optional<NamedCheckpoint>& checkpoint) {
  if (!checkpoint) return reason;
  const std::string folder = checkpoint->folder.string();
  for (std::size_t at = 0; (at = reason.find(folder, at)) != std::string::npos; at += checkpoint->name.size()) reason.replace(at, folder.size(), checkpoint->name);
  return reason;
}

}  // namespace

std::optional<NamedCheckpoint> Api::asked_checkpoint(Fields& fields) const {
  if (!fields.has("checkpoint")) return std::nullopt;
  return names_.find(fields.text("checkpoint", 100));
}

Json Api::about(const HttpRequest& request) {
  check_query(request, {"rules"});
  const std::string asked = query_text(request, "rules");
  const Rules rules = asked.empty() ? standard_rules() : read_rules(asked);
  Json trained_on = Json::array();
  std::string note;
  std::optional<NamedCheckpoint> checkpoint;
  std::shared_ptr<const Engine> engine;
  try {
    engine = while_checkpoints_go([&] {
      checkpoint = names_.standard();
      if (checkpoint) {
        const CheckpointInfo info = read_checkpoint_info(checkpoint->folder);
        trained_on.clear();
        for (const auto& [set, weight] : info.rules) trained_on.push_back(rules_name(set));
        note = untrained_rules_note(info, rules, checkpoint->name);
      }
      return searches_.engine(checkpoint, rules);
    });
  } catch (const Error& error) {  // damaged: boards and earlier checkpoints work all the same
    note = named_reason(error.what(), checkpoint);
    trained_on.clear();
  } catch (const HttpError& error) {
    if (error.status() != 503) throw;
    note = error.what();
  }
  Json json = {{"version", program_version()},
               {"signature", fmt::format("{:016x}", kSearchSignature)},
               {"run", run_ ? Json(names_.run().filename().string()) : Json(nullptr)},
               {"rules", rules_name(standard_rules())}};
  const bool network = checkpoint || !engine;
  json["engine"] = {{"checkpoint", checkpoint ? Json(checkpoint->name) : Json(nullptr)},
                    {"iteration", engine && engine->iteration >= 0 ? Json(engine->iteration) : Json(nullptr)},
                    {"network", engine && !engine->network.empty() ? Json(engine->network) : Json(nullptr)},
                    {"judge", network ? "network" : "rollouts"},
                    {"trained_on", trained_on},
                    {"note", note},
                    {"table_seeds", engine && engine->table ? Json(engine->table_seeds()) : Json(nullptr)}};
  json["strengths"] = strengths_json(network);
  json["limits"] = {{"visits", kMostVisits}, {"movetime_ms", kMostMovetimeMs}, {"match_games", kMostMatchGames}, {"match_visits", kMostMatchVisits}, {"plies", kMostPlies}};
  return json;
}

Json Api::found(ThinkRequest think, const std::optional<NamedCheckpoint>& named, const Game& game, const HttpRequest& request, ThoughtOf& thought) {
  try {
    thought = while_checkpoints_go([&] {
      think.engine.checkpoint = named ? named : names_.standard();
      return searches_.think(think, game, request.client_left);
    });
  } catch (const Error& error) {
    log_warning("{} {}: {}", request.method, request.path, error.what());
    throw HttpError(500, named_reason(error.what(), think.engine.checkpoint));
  }
  return think_json(game, thought, think.engine.checkpoint);
}

Json Api::think(const HttpRequest& request) {
  Fields fields(request);
  const Game game = read_game(fields);
  ThinkRequest think;
  read_limits(fields, think);
  think.engine.table = fields.flag_or("table", true);
  const std::optional<NamedCheckpoint> checkpoint = asked_checkpoint(fields);
  fields.done();
  ThoughtOf thought;
  return found(think, checkpoint, game, request, thought);
}

Json Api::move(const HttpRequest& request) {
  Fields fields(request);
  const Game game = read_game(fields);
  ThinkRequest think;
  const Strength strength = read_strength(fields.object("strength"), think);
  think.engine.table = fields.flag_or("table", true);
  const std::optional<NamedCheckpoint> checkpoint = asked_checkpoint(fields);
  const std::int64_t key = fields.whole_or("key", -1, 0, std::numeric_limits<std::int64_t>::max());
  fields.done();
  if (game.is_over()) throw HttpError(400, fmt::format("no move can be played: the game is over at {}: take back a move or start a new game", position_text(game.position())));
  ThoughtOf thought;
  Json json = found(think, checkpoint, game, request, thought);
  const std::uint64_t draw = key >= 0 ? static_cast<std::uint64_t>(key) : random_bits(seed_, ++moves_chosen_, 0, Purpose::move_choice, 0);
  json["move"] = move_text(game.position(), choose_move(thought.thought.root, strength, draw));
  return json;
}

Json Api::compare(const HttpRequest& request) {
  Fields fields(request);
  const Game game = read_game(fields);
  std::vector<NamedCheckpoint> checkpoints;
  for (const std::string& name : fields.texts("checkpoints", 2, 100)) checkpoints.push_back(names_.find(name));
  ThinkRequest think;
  read_limits(fields, think);
  think.engine.table = fields.flag_or("table", true);
  fields.done();
  Json results = Json::array();
  ThoughtOf thought;
  for (const NamedCheckpoint& checkpoint : checkpoints) results.push_back(found(think, checkpoint, game, request, thought));
  return {{"results", results}};
}

}  // namespace wari
