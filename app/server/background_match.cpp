#include "app/server/background_match.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/server/http.h"
#include "arena/elo.h"
#include "arena/match.h"
#include "core/log.h"
#include "train/checkpoint_evaluator.h"

namespace wari {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSimulationsOfARound = 20'000;  // about: whoever thinks waits for no more

std::unique_ptr<Player> player_of(const NamedCheckpoint& checkpoint, const BackgroundMatchSettings& settings) {
  CheckpointEvaluatorSettings evaluator;
  evaluator.rules = {settings.rules};
  SearchPlayerSettings search;
  search.visits = settings.visits;
  search.workers = settings.threads;
  return make_search_player(checkpoint.name, search, *load_checkpoint_evaluator(checkpoint.folder, evaluator));
}

Json counts_json(const GameCounts& counts) {
  return {{"played", counts.games()}, {"wins", counts.wins}, {"draws", counts.draws}, {"losses", counts.losses}, {"score", counts.games() > 0 ? Json(counts.score()) : Json(nullptr)}};
}

// While a match is going: from the games that are finished, of which short ones end first.
Json progress_json(const MatchProgress& progress) {
  Json json = counts_json(progress.so_far);
  const bool any = progress.so_far.games() > 0;
  const double points = progress.so_far.wins + 0.5 * progress.so_far.draws + 0.5;
  json["elo"] = any ? Json(elo_from_score(points / (progress.so_far.games() + 1))) : Json(nullptr);
  json["share"] = progress.share;
  json["seconds"] = progress.seconds;
  json["seconds_left"] = progress.share > 0.02 ? Json(progress.seconds / progress.share * (1 - progress.share)) : Json(nullptr);
  return json;
}

Json result_json(const MatchResult& result) {
  Json json = counts_json(result.total);
  const bool any = result.total.games() > 0;
  json.update({{"elo", any ? Json(result.elo) : Json(nullptr)}, {"elo_error_95", any ? Json(result.elo_error_95) : Json(nullptr)}});
  json.update({{"seconds", result.seconds}, {"seconds_left", nullptr}, {"running", false}});
  if (result.complete) json["share"] = 1;
  return json;
}

}  // namespace

struct BackgroundMatch::Played {
  std::unique_ptr<Player> a, b;
};

std::int64_t BackgroundMatch::start(const BackgroundMatchSettings& settings) {
  const std::lock_guard control(control_);
  {
    const std::lock_guard lock(mutex_);
    if (state_.is_object() && state_.at("running").get<bool>()) throw HttpError(409, "a match is running: /api/match: stop it with DELETE, or wait for its end");
  }
  auto players = std::make_shared<Played>(Played{player_of(settings.a, settings), player_of(settings.b, settings)});
  if (thread_.joinable()) thread_.join();
  stopping_ = false;
  const std::int64_t id = ++matches_;
  {
    const std::lock_guard lock(mutex_);
    state_ = {{"id", id}, {"a", settings.a.name}, {"b", settings.b.name}, {"rules", rules_name(settings.rules)}, {"visits", settings.visits}, {"running", true}};
    state_["games"] = settings.games;
    state_.update(progress_json({}));
    state_.update({{"elo_error_95", nullptr}, {"error", nullptr}});
  }
  thread_ = std::thread([this, settings, players] { play(settings, *players); });
  return id;
}

void BackgroundMatch::show(Json changes) {
  const std::lock_guard lock(mutex_);
  state_.update(changes);
}

void BackgroundMatch::play(const BackgroundMatchSettings& settings, Played& players) {
  const auto give_up = [this] { return stopping_.load(); };
  MatchSettings match;
  match.rules = settings.rules;
  match.games = settings.games;
  match.games_at_once = std::clamp(kSimulationsOfARound / settings.visits, 2, 256);
  bool turn = turns_.take(give_up, true);
  try {
    const MatchResult result = play_match(match, *players.a, *players.b, [&](const MatchProgress& progress) {
      show(progress_json(progress));
      if (turn) turns_.release();
      turn = turns_.take(give_up, true);
      return turn && !stopping_;
    });
    show(result_json(result));
  } catch (const std::exception& error) {
    log_warning("match of {} and {}: {}", settings.a.name, settings.b.name, error.what());
    show({{"running", false}, {"error", error.what()}, {"seconds_left", nullptr}});
  }
  if (turn) turns_.release();
}

Json BackgroundMatch::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void BackgroundMatch::stop() {
  const std::lock_guard control(control_);
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace wari
