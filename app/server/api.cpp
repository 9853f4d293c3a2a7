#include "app/server/api.h"

#include <fmt/core.h>

#include <random>

#include "app/commands.h"
#include "app/server/board_json.h"
#include "app/server/rules_json.h"
#include "core/error.h"
#include "core/nearest.h"
#include "train/checkpoint.h"

namespace wari {

namespace fs = std::filesystem;

namespace {

fs::path run_folder(const fs::path& run) {
  if (run.empty()) return run;
  if (!fs::is_directory(run)) throw Error("no such run: " + quote(run.string()) + ": give the folder of 'wari train --run'");
  return fs::canonical(run);
}

}  // namespace

Api::Api(const ApiSettings& settings)
    : settings_(settings), names_(run_folder(settings.run), settings.checkpoint), searches_(settings.searches), large_(settings.large), match_(searches_.turns()), seed_(std::random_device{}()) {
  if (!names_.run().empty()) run_ = std::make_unique<RunData>(names_.run());
  const Rules rules = standard_rules();
  if (!settings.checkpoint.empty()) searches_.engine(names_.standard(), rules);  // complains now about what would fail later
}

const std::vector<Api::RouteEntry>& Api::routes() {
  static const std::vector<RouteEntry> kRoutes = {
      {"GET", "/api/about", &Api::about},
      {"GET", "/api/rules", &Api::rules},
      {"POST", "/api/game", &Api::game, 200, true},
      {"POST", "/api/settle", &Api::settle, 200, true},
      {"POST", "/api/ogn/read", &Api::read_games, 200, true},
      {"POST", "/api/ogn/write", &Api::write_game, 200, true},
      {"POST", "/api/think", &Api::think},
      {"POST", "/api/move", &Api::move},
      {"POST", "/api/compare", &Api::compare},
      {"GET", "/api/training", &Api::training},
      {"GET", "/api/games", &Api::games},
      {"GET", "/api/checkpoints", &Api::checkpoints},
      {"POST", "/api/match", &Api::start_match, 202},
      {"GET", "/api/match", &Api::match_state},
      {"DELETE", "/api/match", &Api::end_match},
  };
  return kRoutes;
}

std::string Api::body_of(const RouteEntry& entry, const HttpRequest& request) {
  const auto written = [&] { return (this->*entry.route)(request).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); };
  if (!entry.replays || request.body.size() <= kLargeBytes) return written();
  const LargeRequests::Place place(large_, request.client_left);
  std::string body = written();
  give_memory_back();
  return body;
}

HttpResponse Api::answer(const HttpRequest& request) {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const RouteEntry& entry : routes()) {
    if (request.path != entry.path) continue;
    if (method == entry.method) {
      HttpResponse response;
      response.body = body_of(entry, request);
      response.status = entry.status;
      return response;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(entry.method);
  }
  if (allowed.empty()) throw HttpError(404, fmt::format("no such path: {}: docs/web-api.md lists them", quote(request.path)));
  throw HttpError(405, fmt::format("{} does not take {}: use {}", request.path, quote(request.method), allowed), {{"Allow", allowed}});
}

RunData& Api::run_data() {
  if (!run_) throw HttpError(404, "no run is watched: this server: start it with 'wari serve --run DIR'");
  return *run_;
}

Rules Api::standard_rules() const {
  if (!settings_.rules.empty()) return parse_rules(settings_.rules);
  try {
    if (const auto checkpoint = names_.standard()) return read_checkpoint_info(checkpoint->folder).rules.front().first;
  } catch (const Error&) {      // removed meanwhile, or damaged, which thinking will say
  } catch (const HttpError&) {  // all are gone, likewise
  }
  return Rules{};
}

Api::Json Api::rules(const HttpRequest& request) {
  check_query(request, {});
  return rules_json();
}

Api::Json Api::game(const HttpRequest& request) {
  Fields fields(request);
  const Game game = read_game(fields);
  const auto from = static_cast<int>(fields.whole_or("from", 0, 0, kMostPlies));
  fields.done();
  return board_json(game, from);
}

Api::Json Api::settle(const HttpRequest& request) {
  Fields fields(request);
  const Game game = read_game(fields);
  fields.done();
  return settled_json(game);
}

Api::Json Api::training(const HttpRequest& request) {
  check_query(request, {"since"});
  return run_data().training(query_number(request, "since", 0, 0, std::int64_t{1} << 40));
}

Api::Json Api::games(const HttpRequest& request) {
  check_query(request, {"count", "from"});
  const std::int64_t count = query_number(request, "count", 20, 1, 100);
  return run_data().games(query_number(request, "from", 0, 0, std::int64_t{1} << 40), count);
}

Api::Json Api::checkpoints(const HttpRequest& request) {
  check_query(request, {});
  return run_ ? run_->checkpoints(names_) : checkpoints_json(names_, {});
}

Api::Json Api::start_match(const HttpRequest& request) {
  Fields fields(request);
  BackgroundMatchSettings match;
  match.a = names_.find(fields.text("a", 100));
  match.b = names_.find(fields.text("b", 100));
  match.rules = fields.has("rules") ? read_rules(fields.text("rules", 500)) : standard_rules();
  match.games = static_cast<int>(fields.whole("games", 2, kMostMatchGames));
  match.visits = static_cast<int>(fields.whole("visits", 1, kMostMatchVisits));
  match.threads = workers_or_cores(settings_.searches.pool.threads);
  fields.done();
  if (match.games % 2 != 0) throw HttpError(400, fmt::format("key 'games' is '{}': the request's body: give an even number, each opening is played from both seats", match.games));
  if (match.rules.quiet_plies == 0) throw HttpError(400, "a game might never end: quiet_plies=0: a match needs a limit of quiet plies");
  return {{"id", match_.start(match)}};
}

Api::Json Api::match_state(const HttpRequest& request) {
  check_query(request, {});
  return {{"match", match_.state()}};
}

Api::Json Api::end_match(const HttpRequest& request) {
  check_query(request, {});
  match_.stop();
  return {{"match", match_.state()}};
}

}  // namespace wari
