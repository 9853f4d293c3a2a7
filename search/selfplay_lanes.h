#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/game.h"
#include "search/inspected_engine.h"
#include "search/lane_fields.h"
#include "search/lane_steps.h"
#include "search/search_arena.h"

namespace wari {

// Self-play on an executor: one wave is apply, turn, select, encode, and the evaluator.
template <class Executor, class NodeType>
class SelfplayLanes final : public InspectedEngine {
 public:
  template <class T>
  using Array = typename Executor::template Array<T>;

  SelfplayLanes(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator)
      : settings_(settings),
        evaluator_(std::move(evaluator)),
        arena_(settings.search, settings.rules, settings.lanes, most_simulations(settings) + 1, most_simulations(settings), evaluator_->needs_tokens(),
               settings.search_tables != TableSearch::none ? settings.tables : EndgameTables{}, settings.search_tables),
        endgames_(settings.adjudicated_share > 0 ? settings.tables : EndgameTables{}, settings.rules),
        play_parameters_(1, "self-play parameters"),
        rules_cycle_(settings.rules_cycle.size(), "cycle of rules"),
        start_positions_(settings.rules.size(), "start positions"),
        play_lanes_(static_cast<std::size_t>(settings.lanes), "games"),
        log_(static_cast<std::size_t>(settings.lanes) * kLogSlots, "log of moves", Contents::unset) {
    rules_cycle_.write(settings.rules_cycle);
    std::vector<Position> starts;
    std::size_t quiet_plies_max = 0;
    for (const Rules& rules : settings.rules) {
      starts.push_back(start_position(rules));
      quiet_plies_max = std::max<std::size_t>(quiet_plies_max, rules.quiet_plies);
    }
    start_positions_.write(starts);
    history_ = Array<Position>(static_cast<std::size_t>(settings.lanes) * (quiet_plies_max + 1), "history", Contents::unset);
    write_play_parameters(settings.games_end, quiet_plies_max + 1);
    turn_ = {arena_.view(), play_parameters_.data(), play_lanes_.data(), history_.data(), log_.data()};
    arena_.executor().each(settings.lanes, BeginStep<NodeType>{turn_, settings.first_game + settings.first_lane});
  }

  void run(int waves, std::vector<MoveRecord>& log) override {
    if constexpr (Executor::kOnDevice) {
      run_on_device(waves, [&log](std::span<const MoveRecord> moves) { log.insert(log.end(), moves.begin(), moves.end()); });
    } else {
      run_on_host(waves, log);
    }
  }

  void play(int waves, const TakeMoves& take) override {
    if constexpr (Executor::kOnDevice) {
      run_on_device(waves, take);
    } else {
      SelfplayEngine::play(waves, take);
    }
  }

  bool all_idle() const override {
    if (idle_) return *idle_;  // told by the last log: a device's lanes are megabytes
    const auto lanes = arena_.lane_states().read();
    return std::all_of(lanes.begin(), lanes.end(), [](const SearchLane& lane) { return lane.phase == LanePhase::idle; });
  }

  void set_games_end(std::int64_t games_end) override {
    idle_.reset();
    write_play_parameters(games_end, history_.size() / static_cast<std::size_t>(settings_.lanes));
    arena_.executor().each(settings_.lanes, WakeStep<NodeType>{turn_});
  }

  void restart_searches() override { arena_.executor().each(settings_.lanes, RestartStep<NodeType>{turn_}); }

  std::vector<LaneState> save() const override {
    const auto lanes = arena_.lane_states().read();
    const auto history = history_.read();
    const std::size_t capacity = history_.size() / lanes.size();
    std::vector<LaneState> states(lanes.size());
    for (std::size_t index = 0; index < lanes.size(); ++index) {
      const SearchLane& lane = lanes[index];
      LaneState& state = states[index];
      if (lane.phase == LanePhase::idle) continue;
      state.game = static_cast<std::int64_t>(lane.game);
      state.rules_index = lane.rules_index;
      state.ply = static_cast<std::uint16_t>(lane.ply);
      const Position* const first = history.data() + index * capacity;
      state.since_capture.assign(first, first + lane.root_quiet + 1);
    }
    return states;
  }

  void load(std::span<const LaneState> states) override {
    if (states.size() != static_cast<std::size_t>(settings_.lanes)) {
      throw Error("games in flight of " + std::to_string(states.size()) + " lanes: this engine has " + std::to_string(settings_.lanes) + " lanes");
    }
    idle_.reset();
    auto lanes = arena_.lane_states().read();
    auto history = history_.read();
    const std::size_t capacity = history_.size() / lanes.size();
    for (std::size_t index = 0; index < states.size(); ++index) load_lane(states[index], lanes[index], std::span(history).subspan(index * capacity, capacity));
    arena_.lane_states().write(lanes);
    history_.write(history);
    arena_.executor().each(settings_.lanes, ResumeStep<NodeType>{turn_});
  }

  void set_evaluator(std::unique_ptr<Evaluator> evaluator) override {
    if (evaluator->needs_tokens() != evaluator_->needs_tokens()) throw Error("the new evaluator reads other rows than the old one: make a new engine for it");
    if (evaluator_->take_weights(*evaluator)) return;  // nothing is under way between two calls, so no leaf is judged by half of each
    arena_.executor().forget();
    evaluator_ = std::move(evaluator);
  }

  std::vector<std::uint64_t> checksums() const override {
    if (checksums_.size() == 0) checksums_ = Array<std::uint64_t>(static_cast<std::size_t>(settings_.lanes), "checksums", Contents::unset);
    arena_.executor().each(settings_.lanes, ChecksumStep<NodeType>{turn_, checksums_.data()});
    const auto sums = checksums_.read();
    return {sums.begin(), sums.end()};
  }

  std::vector<LaneField> fields(int lane) const override {
    const auto index = static_cast<std::size_t>(lane);
    const auto state = arena_.lane_states().read(index, 1);
    const auto play_lane = play_lanes_.read(index, 1);
    const auto root = arena_.roots().read(index, 1);
    const auto nodes = arena_.nodes().read(index * static_cast<std::size_t>(arena_.view().node_stride), static_cast<std::size_t>(state[0].node_count));
    const std::size_t capacity = history_.size() / static_cast<std::size_t>(settings_.lanes);
    const auto history = history_.read(index * capacity, capacity);
    const bool tokens = needs_tokens();
    const auto row = arena_.tokens().read(tokens ? index * kBoardTokens : 0, tokens ? kBoardTokens : 0);
    const LaneMemory<NodeType> memory{state[0], play_lane[0], root[0], nodes.data(), history.data(), tokens ? row.data() : nullptr};
    FieldWriter count;
    visit_lane(memory, count);
    std::vector<RawField> raw(count.count);
    FieldWriter writer{raw.data()};
    visit_lane(memory, writer);
    return lane_fields(raw);
  }

  bool needs_tokens() const override { return evaluator_->needs_tokens(); }

  std::vector<float> outputs() const override {
    const auto outputs = arena_.output_rows().read();
    return {outputs.begin(), outputs.end()};
  }

  EngineCounters counters() const override {
    EngineCounters counters = counters_;
    const auto lanes = arena_.lane_states().read();
    const auto play_lanes = play_lanes_.read();
    for (std::size_t index = 0; index < lanes.size(); ++index) {
      const PlayLane& play_lane = play_lanes[index];
      const SearchLane& lane = lanes[index];
      counters.simulations += play_lane.simulations + (is_under_way(lane) ? lane.simulations : 0);
      counters.moves += play_lane.moves;
      counters.games += play_lane.games;
      counters.bad_outputs += play_lane.bad_outputs + (is_under_way(lane) ? lane.bad_outputs : 0);
    }
    return counters;
  }

 private:
  static std::int64_t most_simulations(const SelfplayEngineSettings& settings) { return std::max(settings.play.simulations, settings.play.capped_simulations); }

  void write_play_parameters(std::int64_t games_end, std::size_t history_capacity) {
    PlayParameters p;
    p.seed = settings_.seed;
    p.total_lanes = settings_.total_lanes;
    p.games_end = games_end;
    p.simulations = settings_.play.simulations;
    p.capped_simulations = settings_.play.capped_simulations;
    p.full_search_share = static_cast<float>(settings_.play.full_search_share);
    p.opening_plies_max = settings_.play.opening_plies_max;
    p.noise_plies = settings_.play.noise_plies;
    p.temperature = static_cast<float>(settings_.play.temperature);
    p.endgames = endgames_.data();
    p.adjudicated_share = static_cast<float>(settings_.adjudicated_share);
    p.rules_cycle = rules_cycle_.data();
    p.rules_cycle_size = static_cast<std::int32_t>(rules_cycle_.size());
    p.start_positions = start_positions_.data();
    p.history_capacity = static_cast<std::int32_t>(history_capacity);
    play_parameters_.write({&p, 1});
  }

  void load_lane(const LaneState& state, SearchLane& lane, std::span<Position> history /* [capacity] */) const {
    lane.leaf = kNoLeaf;
    if (state.game < 0) {
      lane.phase = LanePhase::idle;
      lane.game = INT64_MAX;  // it was idle when it was saved and has no number to go on from
      return;
    }
    if (state.rules_index >= settings_.rules.size() || state.since_capture.empty() || state.since_capture.size() > history.size()) {
      throw Error("game " + std::to_string(state.game) + " in flight does not fit the rule sets of this run: the checkpoint's lanes are damaged or of another run");
    }
    lane.game = static_cast<std::uint64_t>(state.game);
    lane.seed = settings_.seed;
    lane.rules_index = state.rules_index;
    lane.ply = state.ply;
    lane.root_quiet = static_cast<std::int32_t>(state.since_capture.size()) - 1;
    std::copy(state.since_capture.begin(), state.since_capture.end(), history.begin());
    lane.phase = LanePhase::fresh;
  }

  void run_on_host(int waves, std::vector<MoveRecord>& log) {
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
  }

  void enqueue_waves(int waves) {
    for (int wave = 0; wave < waves; ++wave) {
      arena_.wave(arena_.open_step(), arena_.backup_step());
      arena_.wave(turn_);
      arena_.wave(arena_.descend_step(), arena_.expand_step());
      arena_.wave(turn_, arena_.encode_step(), CountStep<NodeType>{arena_.view()});
      evaluator_->evaluate(arena_.batch(settings_.lanes), arena_.outputs());
    }
  }

  // A few waves are put on the GPU's stream, and behind them what moves their log together; the host takes it while the next ones run.
  void run_on_device(int waves, const TakeMoves& take) {
    const Executor& executor = arena_.executor();
    for (int done = 0, logs = 0; done < waves || logs > 0;) {
      if (done < waves) {
        const int together = std::min(executor.waves_together(), waves - done);
        if (together == executor.waves_together()) {
          executor.together([this, together] { enqueue_waves(together); });
        } else {
          enqueue_waves(together);
        }
        executor.drain(settings_.lanes, turn_);
        ++logs;
        done += together;
        counters_.waves += together;
        counters_.rows += std::int64_t{together} * settings_.lanes;
      }
      if (done < waves && logs < executor.logs_together()) continue;
      moves_.clear();
      const auto drained = executor.take_log(moves_);
      --logs;
      counters_.evaluations += static_cast<std::int64_t>(drained.evaluations);
      idle_ = drained.idle_lanes == settings_.lanes;
      if (*idle_) done = waves;
      take(moves_);
    }
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

  SelfplayEngineSettings settings_;
  std::unique_ptr<Evaluator> evaluator_;
  SearchArena<Executor, NodeType> arena_;
  EndgameViews<Executor> endgames_;  // for adjudication
  Array<PlayParameters> play_parameters_;  // [1]
  Array<std::uint8_t> rules_cycle_;
  Array<Position> start_positions_;        // [rule sets]
  Array<PlayLane> play_lanes_;             // [lanes]
  Array<MoveRecord> log_;                  // [lanes, kLogSlots]
  Array<Position> history_;                // [lanes, positions]
  mutable Array<std::uint64_t> checksums_;  // [lanes], made by the first checksums()
  TurnStep<NodeType> turn_;
  std::optional<bool> idle_;               // whether all lanes are, where a device's log told it
  std::vector<MoveRecord> moves_;          // of the log taken last
  EngineCounters counters_;
};

}  // namespace wari
