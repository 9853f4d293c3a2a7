#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/server/background_match.h"
#include "app/server/checkpoint_names.h"
#include "app/server/fields.h"
#include "app/server/http.h"
#include "app/server/large_requests.h"
#include "app/server/run_data.h"
#include "app/server/searches.h"

// The routes under /api/ (docs/web-api.md): what each request says is read strictly, then answered.
namespace wari {

struct ApiSettings {
  std::filesystem::path run;  // empty: none
  std::string checkpoint;     // as on the command line; empty: the run's newest, or none
  std::string rules;          // of a new game; empty: what the checkpoint was trained on
  SearchesSettings searches;
  LargeRequestsSettings large;
};

// What requests may ask for, at most.
inline constexpr std::int64_t kMostVisits = 400'000;
inline constexpr std::int64_t kMostMovetimeMs = 30'000;
inline constexpr std::int64_t kMostMatchGames = 10'000;
inline constexpr std::int64_t kMostMatchVisits = 5'000;

class Api {
 public:
  // Throws Error where the run or the checkpoint is none.
  explicit Api(const ApiSettings& settings);

  // `request.path` begins with /api/. Throws HttpError.
  HttpResponse answer(const HttpRequest& request);
  void stop_match() { match_.stop(); }

 private:
  using Json = nlohmann::ordered_json;
  using Route = Json (Api::*)(const HttpRequest&);
  struct RouteEntry {
    const char* method;
    const char* path;
    Route route;
    int status = 200;
    bool replays = false;  // all that it costs is the game that it was given
  };
  static const std::vector<RouteEntry>& routes();
  std::string body_of(const RouteEntry& entry, const HttpRequest& request);

  Json about(const HttpRequest& request);
  Json rules(const HttpRequest& request);
  Json game(const HttpRequest& request);
  Json settle(const HttpRequest& request);
  Json read_games(const HttpRequest& request);
  Json write_game(const HttpRequest& request);
  Json think(const HttpRequest& request);
  Json move(const HttpRequest& request);
  Json compare(const HttpRequest& request);
  Json training(const HttpRequest& request);
  Json games(const HttpRequest& request);
  Json checkpoints(const HttpRequest& request);
  Json start_match(const HttpRequest& request);
  Json match_state(const HttpRequest& request);
  Json end_match(const HttpRequest& request);

  RunData& run_data();  // HttpError 404 without a run
  Rules standard_rules() const;
  std::optional<NamedCheckpoint> asked_checkpoint(Fields& fields) const;  // none: what plays where nothing is named
  // Thinks, and says what was found. `named`: none: as asked_checkpoint().
  Json found(ThinkRequest think, const std::optional<NamedCheckpoint>& named, const Game& game, const HttpRequest& request, ThoughtOf& thought);

  ApiSettings settings_;
  CheckpointNames names_;
  std::unique_ptr<RunData> run_;
  Searches searches_;
  LargeRequests large_;
  BackgroundMatch match_;
  std::atomic<std::uint64_t> moves_chosen_ = 0;
  std::uint64_t seed_;  // of the moves of limited strengths
};

}  // namespace wari
