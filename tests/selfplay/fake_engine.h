#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/selfplay_engine.h"
#include "tests/selfplay/fake_games.h"

// A self-play engine that plays at random, one ply a lane in some waves: what Selfplay needs of an engine, without search.
namespace wari::test {

class FakeEngine final : public SelfplayEngine {
 public:
  explicit FakeEngine(const SelfplayEngineSettings& settings) : settings_(settings) {
    for (int lane = 0; lane < settings.lanes; ++lane) lanes_.push_back(begin(settings.first_game + settings.first_lane + lane));
  }

  void run(int waves, std::vector<MoveRecord>& log) override {
    for (int wave = 0; wave < waves && !all_idle(); ++wave, ++counters_.waves) {
      for (Lane& lane : lanes_) {
        // A search of some waves, its length a function of the game: lanes keep their own time.
        if (lane.number < 0 || ++lane.waited <= lane.number % 3) continue;
        lane.waited = 0;
        log.push_back(next_move(*lane.game, static_cast<std::uint64_t>(lane.number), lane.rules_index));
        lane.game->play(log.back().action);
        log.back().end = static_cast<std::uint8_t>(lane.game->end());
        ++counters_.moves;
        if (!lane.game->is_over()) continue;
        ++counters_.games;
        lane = begin(lane.number + settings_.total_lanes);
      }
    }
  }

  bool all_idle() const override {
    for (const Lane& lane : lanes_) {
      if (lane.number >= 0) return false;
    }
    return true;
  }

  void set_games_end(std::int64_t games_end) override {
    settings_.games_end = games_end;
    for (Lane& lane : lanes_) {
      if (lane.number < 0) lane = begin(lane.next);
    }
  }

  void restart_searches() override {
    for (Lane& lane : lanes_) lane.waited = 0;
  }

  std::vector<LaneState> save() const override {
    std::vector<LaneState> states;
    for (const Lane& lane : lanes_) {
      LaneState state;
      state.game = lane.number;
      if (lane.number >= 0) {
        state.rules_index = lane.rules_index;
        state.ply = static_cast<std::uint16_t>(lane.game->plies());
        state.since_capture = lane.game->since_capture();
      }
      states.push_back(std::move(state));
    }
    return states;
  }

  void load(std::span<const LaneState> states) override {
    if (states.size() != lanes_.size()) throw std::runtime_error("another number of lanes");
    loaded_.assign(states.begin(), states.end());
  }

  void set_evaluator(std::unique_ptr<Evaluator>) override { ++evaluators_set_; }
  EngineCounters counters() const override { return counters_; }

  std::vector<LaneState> loaded_;  // what load() was given
  int evaluators_set_ = 0;

 private:
  struct Lane {
    std::int64_t number = -1;  // -1: idle
    std::int64_t next = 0;     // the number that it had, or waits to begin
    std::uint8_t rules_index = 0;
    std::int64_t waited = 0;
    std::optional<Game> game;
  };

  Lane begin(std::int64_t number) const {
    Lane lane;
    lane.next = number;
    if (number >= settings_.games_end) return lane;
    lane.number = number;
    lane.rules_index = settings_.rules_cycle[static_cast<std::size_t>(number / 128) % settings_.rules_cycle.size()];
    lane.game.emplace(settings_.rules[lane.rules_index]);
    return lane;
  }

  SelfplayEngineSettings settings_;
  std::vector<Lane> lanes_;
  EngineCounters counters_;
};

}  // namespace wari::test
