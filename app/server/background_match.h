#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "app/server/checkpoint_names.h"
#include "app/server/search_turns.h"
#include "core/rules.h"

// Two checkpoints against each other, behind whoever thinks. One match at a time; the last one's result stays until the next.
namespace wari {

struct BackgroundMatchSettings {
  NamedCheckpoint a, b;
  Rules rules;
  int games = 100;
  int visits = 64;
  int threads = 1;
};

class BackgroundMatch {
 public:
  explicit BackgroundMatch(SearchTurns& turns) : turns_(turns) {}
  ~BackgroundMatch() { stop(); }
  BackgroundMatch(const BackgroundMatch&) = delete;
  BackgroundMatch& operator=(const BackgroundMatch&) = delete;

  // Returns the match's number. Throws HttpError 409 while one is running, Error where a checkpoint cannot be loaded.
  std::int64_t start(const BackgroundMatchSettings& settings);
  nlohmann::ordered_json state() const;  // null: there was none
  void stop();                           // waits for the end of a round of moves

 private:
  struct Played;
  void play(const BackgroundMatchSettings& settings, Played& players);
  void show(nlohmann::ordered_json changes);

  SearchTurns& turns_;
  std::mutex control_;  // start and stop
  std::thread thread_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;  // of state_
  nlohmann::ordered_json state_;
  std::int64_t matches_ = 0;
};

}  // namespace wari
