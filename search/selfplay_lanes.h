#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/game.h"
#include "search/play_step.h"
#include "search/search_arena.h"
#include "search/selfplay_engine.h"

namespace wari {

// Self-play on an executor: one wave is apply, turn, select, encode, and the evaluator.
template <class Executor, class NodeType>
class SelfplayLanes final : public SelfplayEngine {
 public:
  template <class T>
  using Array = typename Executor::template Array<T>;

  SelfplayLanes(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator)
      : settings_(settings),
        evaluator_(std::move(evaluator)),
        arena_(settings.search, settings.rules, settings.lanes, most_simulations(settings) + 1, most_simulations(settings), evaluator_->needs_tokens()),
        play_parameters_(1),
        rules_cycle_(settings.rules_cycle.size()),
        start_positions_(settings.rules.size()),
        play_lanes_(static_cast<std::size_t>(settings.lanes)),
        log_(static_cast<std::size_t>(settings.lanes) * kLogSlots) {
    std::copy(settings.rules_cycle.begin(), settings.rules_cycle.end(), rules_cycle_.data());
    std::size_t quiet_plies_max = 0;
    for (std::size_t i = 0; i < settings.rules.size(); ++i) {
      start_positions_[i] = start_position(settings.rules[i]);
      quiet_plies_max = std::max<std::size_t>(quiet_plies_max, settings.rules[i].quiet_plies);
    }
    fill_play_parameters(quiet_plies_max + 1);
    history_ = Array<Position>(static_cast<std::size_t>(settings.lanes) * (quiet_plies_max + 1));
    turn_ = {arena_.view(), play_parameters_.data(), play_lanes_.data(), history_.data(), log_.data()};
    for (int lane = 0; lane < settings.lanes; ++lane) {
      arena_.lane(lane).game = static_cast<std::uint64_t>(settings.first_game + settings.first_lane + lane);
      turn_.begin_game(lane, arena_.lane(lane), play_lanes_[static_cast<std::size_t>(lane)]);
    }
  }

  void run(int waves, std::vector<MoveRecord>& log) override {
    auto before = std::chrono::steady_clock::now();
    for (int wave = 0; wave < waves; ++wave) {
      // A search that ended in a terminal leaf has its move played, and the next root offered, in the same wave.
      arena_.wave(arena_.open_step(), arena_.backup_step(), turn_, arena_.descend_step(), arena_.expand_step(), turn_, arena_.encode_step());
      drain_log(log);
      const int active = arena_.active_rows();
      ++counters_.waves;
      const auto searched = std::chrono::steady_clock::now();
      counters_.search_seconds += std::chrono::duration<double>(searched - before).count();
      before = searched;
      if (active == 0 && all_idle()) break;
      evaluator_->evaluate(arena_.batch(settings_.lanes), arena_.outputs());
      before = std::chrono::steady_clock::now();
      counters_.network_seconds += std::chrono::duration<double>(before - searched).count();
      counters_.evaluations += active;
      counters_.rows += settings_.lanes;
    }
    sum_counters();
  }

  bool all_idle() const override {
    for (int lane = 0; lane < settings_.lanes; ++lane) {
      if (arena_.lane(lane).phase != LanePhase::idle) return false;
    }
    return true;
  }

  void set_games_end(std::int64_t games_end) override {
    play_parameters_[0].games_end = games_end;
    for (int index = 0; index < settings_.lanes; ++index) {
      SearchLane& lane = arena_.lane(index);
      if (lane.phase == LanePhase::idle) turn_.begin_game(index, lane, play_lanes_[static_cast<std::size_t>(index)]);
    }
  }

  void restart_searches() override {
    for (int index = 0; index < settings_.lanes; ++index) {
      SearchLane& lane = arena_.lane(index);
      if (lane.phase == LanePhase::idle) continue;
      if (is_under_way(lane)) {  // what a dropped search did is done all the same
        PlayLane& play_lane = play_lanes_[static_cast<std::size_t>(index)];
        play_lane.simulations += lane.simulations;
        play_lane.bad_outputs += lane.bad_outputs;
      }
      lane.leaf = kNoLeaf;
      lane.phase = LanePhase::fresh;
    }
  }

  std::vector<LaneState> save() const override {
    std::vector<LaneState> states(static_cast<std::size_t>(settings_.lanes));
    for (int index = 0; index < settings_.lanes; ++index) {
      const SearchLane& lane = arena_.lane(index);
      LaneState& state = states[static_cast<std::size_t>(index)];
      if (lane.phase == LanePhase::idle) continue;
      state.game = static_cast<std::int64_t>(lane.game);
      state.rules_index = lane.rules_index;
      state.ply = static_cast<std::uint16_t>(lane.ply);
      state.since_capture.assign(lane.history, lane.history + lane.root_quiet + 1);
    }
    return states;
  }

  void load(std::span<const LaneState> states) override {
    if (states.size() != static_cast<std::size_t>(settings_.lanes)) {
      throw Error("games in flight of " + std::to_string(states.size()) + " lanes: this engine has " + std::to_string(settings_.lanes) + " lanes");
    }
    for (int index = 0; index < settings_.lanes; ++index) load_lane(index, states[static_cast<std::size_t>(index)]);
  }

  void set_evaluator(std::unique_ptr<Evaluator> evaluator) override {
    if (evaluator->needs_tokens() != evaluator_->needs_tokens()) throw Error("the new evaluator reads other rows than the old one: make a new engine for it");
    evaluator_ = std::move(evaluator);
  }

  const EngineCounters& counters() const override { return counters_; }

 private:
  static std::int64_t most_simulations(const SelfplayEngineSettings& settings) { return std::max(settings.play.simulations, settings.play.capped_simulations); }

  // With simulations that its PlayLane does not count yet.
  static bool is_under_way(const SearchLane& lane) { return lane.phase == LanePhase::searching || lane.phase == LanePhase::spent; }

  void fill_play_parameters(std::size_t history_capacity) {
    PlayParameters p;
    p.seed = settings_.seed;
    p.total_lanes = settings_.total_lanes;
    p.games_end = settings_.games_end;
    p.simulations = settings_.play.simulations;
    p.capped_simulations = settings_.play.capped_simulations;
    p.full_search_share = static_cast<float>(settings_.play.full_search_share);
    p.opening_plies_max = settings_.play.opening_plies_max;
    p.noise_plies = settings_.play.noise_plies;
    p.temperature = static_cast<float>(settings_.play.temperature);
    p.rules_cycle = rules_cycle_.data();
    p.rules_cycle_size = static_cast<std::int32_t>(rules_cycle_.size());
    p.start_positions = start_positions_.data();
    p.history_capacity = static_cast<std::int32_t>(history_capacity);
    play_parameters_[0] = p;
  }

  void load_lane(int index, const LaneState& state) {
    SearchLane& lane = arena_.lane(index);
    lane.leaf = kNoLeaf;
    if (state.game < 0) {
      lane.phase = LanePhase::idle;
      lane.game = INT64_MAX;  // it was idle when it was saved and has no number to go on from
      return;
    }
    const auto capacity = static_cast<std::size_t>(play_parameters_[0].history_capacity);
    if (state.rules_index >= settings_.rules.size() || state.since_capture.empty() || state.since_capture.size() > capacity) {
      throw Error("game " + std::to_string(state.game) + " in flight does not fit the rule sets of this run: the checkpoint's lanes are damaged or of another run");
    }
    lane.game = static_cast<std::uint64_t>(state.game);
    lane.seed = settings_.seed;
    lane.rules_index = state.rules_index;
    lane.ply = state.ply;
    lane.root_quiet = static_cast<std::int32_t>(state.since_capture.size()) - 1;
    Position* const positions = turn_.lane_history(index);
    std::copy(state.since_capture.begin(), state.since_capture.end(), positions);
    lane.history = positions;
    lane.phase = LanePhase::fresh;
    turn_.resume_game(lane, play_lanes_[static_cast<std::size_t>(index)], positions[lane.root_quiet]);
  }

  void drain_log(std::vector<MoveRecord>& log) {
    for (int index = 0; index < settings_.lanes; ++index) {
      PlayLane& play_lane = play_lanes_[static_cast<std::size_t>(index)];
      if (play_lane.records == 0) continue;
      const MoveRecord* const records = log_.data() + static_cast<std::size_t>(index) * kLogSlots;
      log.insert(log.end(), records, records + play_lane.records);
      play_lane.records = 0;
    }
  }

  void sum_counters() {
    counters_.simulations = counters_.moves = counters_.games = counters_.bad_outputs = 0;
    for (int index = 0; index < settings_.lanes; ++index) {
      const PlayLane& play_lane = play_lanes_[static_cast<std::size_t>(index)];
      const SearchLane& lane = arena_.lane(index);
      counters_.simulations += play_lane.simulations + (is_under_way(lane) ? lane.simulations : 0);
      counters_.moves += play_lane.moves;
      counters_.games += play_lane.games;
      counters_.bad_outputs += play_lane.bad_outputs + (is_under_way(lane) ? lane.bad_outputs : 0);
    }
  }

  SelfplayEngineSettings settings_;
  std::unique_ptr<Evaluator> evaluator_;
  SearchArena<Executor, NodeType> arena_;
  Array<PlayParameters> play_parameters_;  // [1]
  Array<std::uint8_t> rules_cycle_;
  Array<Position> start_positions_;        // [rule sets]
  Array<PlayLane> play_lanes_;             // [lanes]
  Array<MoveRecord> log_;                  // [lanes, kLogSlots]
  Array<Position> history_;                // [lanes, positions]
  TurnStep<NodeType> turn_;
  EngineCounters counters_;
};

}  // namespace wari
