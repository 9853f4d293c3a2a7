#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <thread>

#include "app/engine.h"
#include "search/thinker.h"

// A search whose speed and results a test chooses: batches of ten visits that take so long, the first legal move is the best.
namespace wari {

struct FakeThinkerSettings {
  std::chrono::milliseconds batch{1};
  int proven_after = 0;  // visits; 0: never
  int full_after = 0;    // visits that fill the tree, which then loses them; 0: never
};

// What a test sees of it, from any thread.
struct FakeThinkerLog {
  std::atomic<int> thoughts{0}, forgotten{0}, loaded{0};
};

class FakeThinker final : public Thinker {
 public:
  FakeThinker(const FakeThinkerSettings& settings, FakeThinkerLog& log) : settings_(settings), log_(log) {}

  void set_game(const Game& game) override {
    game_ = game;
    visits_ = 0;
  }
  KnownMove known() const override { return visits_ > 0 ? KnownMove{std::countr_zero(game_.legal()), visits_, 1.25f} : KnownMove{}; }
  void forget() override { ++log_.forgotten; }

  Thought think(const ThinkLimits& limits, const std::function<bool(const Thought&)>& go_on) override {
    ++log_.thoughts;
    const auto start = std::chrono::steady_clock::now();
    Thought thought = seen(start);
    while (!ends(limits, thought)) {
      std::this_thread::sleep_for(settings_.batch);
      visits_ += 10;
      simulations_ += 10;
      thought = seen(start);
      if (go_on && !go_on(thought)) break;
    }
    simulations_ = 0;
    return thought;
  }

 private:
  bool ends(const ThinkLimits& limits, const Thought& thought) const {
    if (thought.root.proven) return true;
    if (limits.visits && visits_ >= *limits.visits) return true;
    if (limits.depth && thought.depth >= *limits.depth) return true;
    return limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline;
  }

  Thought seen(std::chrono::steady_clock::time_point start) const {
    Thought thought;
    RootResult& root = thought.root;
    for (int action = 0; action < kActions; ++action) {
      if (((game_.legal() >> action) & 1) == 0) continue;
      if (root.best < 0) root.best = action;
      root.actions.push_back({action, action == root.best ? visits_ : 0, 0.5f, 0.5f, 0.1f, false});
    }
    Game line = game_;
    for (int ply = 0; ply < std::min(visits_ / 10, 3) && !line.is_over(); ++ply) {
      root.line.push_back(std::countr_zero(line.legal()));
      line.play(root.line.back());
    }
    root.margin = 1.25f;
    root.wdl[0] = 0.5f;
    root.wdl[1] = 0.3f;
    root.wdl[2] = 0.2f;
    root.simulations = visits_;
    root.proven = settings_.proven_after > 0 && visits_ >= settings_.proven_after;
    thought.simulations = simulations_;
    thought.depth = static_cast<int>(root.line.size());
    thought.full = settings_.full_after > 0 ? static_cast<double>(visits_ % settings_.full_after) / settings_.full_after : 0;
    thought.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return thought;
  }

  FakeThinkerSettings settings_;
  FakeThinkerLog& log_;
  Game game_{Rules{}};
  int visits_ = 0, simulations_ = 0;
};

inline Engine fake_engine(const EngineSettings& settings, const FakeThinkerSettings& thinker, FakeThinkerLog& log) {
  ++log.loaded;
  Engine engine;
  engine.settings = settings;
  engine.rules = settings.rules.value_or(Rules{});
  engine.name = "fake";
  engine.thinker = std::make_unique<FakeThinker>(thinker, log);
  return engine;
}

}  // namespace wari
