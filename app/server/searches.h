#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "app/server/checkpoint_names.h"
#include "app/server/engine_pool.h"
#include "app/server/search_turns.h"
#include "search/thinker.h"

// All thinking that requests ask for: who may, when, and for how long.
namespace wari {

struct SearchesSettings {
  EnginePoolSettings pool;
  int waiting = 64;                              // requests that think or wait at once; more are refused with 429
  std::chrono::milliseconds slice{100};          // of thinking, while others wait
  std::chrono::milliseconds longest{60'000};     // of any search
};

struct ThinkRequest {
  EnginePool::Wish engine;
  std::optional<std::int64_t> visits;
  std::optional<std::chrono::milliseconds> time;  // from the first moment that it has
};

struct ThoughtOf {
  Thought thought;  // `simulations` and `seconds` of all its slices together
  std::shared_ptr<const Engine> engine;
};

class Searches {
 public:
  explicit Searches(const SearchesSettings& settings) : settings_(settings), pool_(settings.pool) {}

  // Throws HttpError: 429, too many; kClientLeft, `client_left` says that nobody waits for the answer; Error where the checkpoint cannot be loaded.
  ThoughtOf think(const ThinkRequest& request, const Game& game, const std::function<bool()>& client_left);

  // For what is known of an engine without thinking. Throws as think() does.
  std::shared_ptr<const Engine> engine(const std::optional<NamedCheckpoint>& checkpoint, const Rules& rules);

  SearchTurns& turns() { return turns_; }
  int under_way() const { return under_way_; }  // thinking or waiting

 private:
  class Admission;

  SearchesSettings settings_;
  EnginePool pool_;
  SearchTurns turns_;
  std::atomic<int> under_way_ = 0;
};

}  // namespace wari
