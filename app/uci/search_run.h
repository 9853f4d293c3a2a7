#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/engine.h"
#include "app/engine_strength.h"
#include "app/uci/parse.h"
#include "app/uci/time_control.h"
#include "core/game.h"
#include "search/thinker.h"

// One `go`, from its first info line to its one bestmove.
namespace wari {

struct UciSearch {
  EngineSettings engine;  // that is to think
  Game game;
  UciGo go;
  Strength strength;
  std::chrono::milliseconds overhead{20};
  bool show_wdl = false;
  bool debug = false;
  bool forget = false;    // the tree of the game before
  std::uint64_t key = 0;  // of a move that is drawn
  std::chrono::steady_clock::time_point received;  // when its clock began
};

// What other threads ask of the search that goes on.
class UciControl {
 public:
  using Clock = std::chrono::steady_clock;

  void reset(bool stopped);  // for the next search
  void stop();
  void ponder_hit();
  bool stopped() const;
  std::optional<Clock::time_point> hit() const;  // when `ponderhit` came
  void wait_for_stop();
  void wait_for_stop_or_hit();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::optional<Clock::time_point> hit_;
};

using UciSay = std::function<void(const std::string& line)>;

// Says all but the bestmove, which is returned. `lateness` is read and added to.
std::string run_search(const UciSearch& search, Thinker& thinker, UciControl& control, UciLateness& lateness, const UciSay& say);

}  // namespace wari
