#pragma once

#include "search/move_log.h"
#include "search/steps.h"

// Self-play in a lane: the move of a finished search, its record, the next position, the next game.
namespace wari {

// What the lanes of self-play read and none writes.
struct PlayParameters {
  std::uint64_t seed = 0;
  std::int64_t total_lanes = 1;                 // stride of game numbers
  std::int64_t games_end = 0;
  std::int32_t simulations = 0, capped_simulations = 0;
  float full_search_share = 1.0f;
  std::int32_t opening_plies_max = 0, noise_plies = 0;
  float temperature = 1.0f;
  const EndgameView* endgames = nullptr;        // [rule sets] by which games are adjudicated; null: none are
  float adjudicated_share = 1.0f;               // of the games
  const std::uint8_t* rules_cycle = nullptr;    // [rules_cycle_size]
  std::int32_t rules_cycle_size = 0;
  const Position* start_positions = nullptr;    // [rule sets]
  std::int32_t history_capacity = 0;            // positions
};

// A lane's game beside its search (SearchLane has seed, game, ply, history and rules).
struct PlayLane {
  std::int32_t opening_plies = 0;   // random plies of this game
  std::uint16_t legal = 0;          // at the present position
  std::uint8_t full = 0;            // this search's policy is a target
  std::uint8_t records = 0;         // in the lane's part of the log
  std::int64_t games = 0, moves = 0, simulations = 0, bad_outputs = 0;  // since the engine was made
};

// Records that a lane can log before the log is taken away: random and forced moves cost no wave. A lane with a full log waits.
inline constexpr int kLogSlots = 8;

// For lanes whose search is spent or whose position is fresh: plays on until a position needs a search or no game is left.
template <class N>
struct TurnStep {
  SearchView<N> view;
  const PlayParameters* play_parameters = nullptr;
  PlayLane* play_lanes = nullptr;  // [lanes]
  Position* history = nullptr;     // [lanes, history_capacity]
  MoveRecord* log = nullptr;       // [lanes, kLogSlots]

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    PlayLane& play_lane = play_lanes[index];
    if (lane.phase == LanePhase::spent && play_lane.records < kLogSlots) play_searched_move(index, lane, play_lane);
    while (lane.phase == LanePhase::fresh && play_lane.records < kLogSlots) {
      const bool random = static_cast<std::int32_t>(lane.ply) < play_lane.opening_plies;
      const bool forced = (play_lane.legal & (play_lane.legal - 1)) == 0;
      if (!random && !forced) {
        begin_move(index, lane, play_lane);
        return;
      }
      play_unsearched_move(index, lane, play_lane, random && !forced);
    }
  }

  WARI_HD Position* lane_history(int index) const { return history + static_cast<std::int64_t>(index) * play_parameters->history_capacity; }
  WARI_HD std::uint64_t draw(const SearchLane& lane, Purpose purpose) const { return random_bits(lane.seed, lane.game, lane.ply, purpose, 0); }

  // Begins game `lane.game`, or idles.
  WARI_HD void begin_game(int index, SearchLane& lane, PlayLane& play_lane) const {
    const PlayParameters& p = *play_parameters;
    if (static_cast<std::int64_t>(lane.game) >= p.games_end) {
      lane.phase = LanePhase::idle;
      return;
    }
    lane.seed = p.seed;
    lane.rules_index = p.rules_cycle[(lane.game / 128) % static_cast<std::uint64_t>(p.rules_cycle_size)];
    lane.ply = 0;
    lane.root_quiet = 0;
    Position* const positions = lane_history(index);
    positions[0] = p.start_positions[lane.rules_index];
    lane.history = positions;
    lane.phase = LanePhase::fresh;
    resume_game(lane, play_lane, positions[0]);
  }

  // What follows from the game's number and position alone.
  WARI_HD void resume_game(const SearchLane& lane, PlayLane& play_lane, const Position& position) const {
    const SearchParameters& parameters = *view.parameters;
    const auto choices = static_cast<std::uint32_t>(play_parameters->opening_plies_max + 1);
    play_lane.opening_plies = static_cast<std::int32_t>(random_below(random_bits(lane.seed, lane.game, 0, Purpose::opening_length, 0), choices));
    play_lane.legal = legal_actions(*parameters.sowing, parameters.rules[lane.rules_index], position);
  }

  // Full or capped search (KataGo's playout-cap randomisation): only full ones are noisy and give a policy target.
  WARI_HD void begin_move(int index, SearchLane& lane, PlayLane& play_lane) const {
    const PlayParameters& p = *play_parameters;
    const bool full = p.full_search_share >= 1.0f || random_unit(draw(lane, Purpose::playout_cap)) < p.full_search_share;
    play_lane.full = full ? 1 : 0;
    lane.noisy = full && static_cast<std::int32_t>(lane.ply) < p.noise_plies;
    lane.budget = full ? p.simulations : p.capped_simulations;
    begin_search(view, index, lane.history[lane.root_quiet], play_lane.legal);
  }

  WARI_HD void play_unsearched_move(int index, SearchLane& lane, PlayLane& play_lane, bool random) const {
    const std::uint32_t legal = play_lane.legal;
    std::uint32_t pick = random ? random_below(draw(lane, Purpose::opening_move), static_cast<std::uint32_t>(count_bits(legal))) : 0;
    int action = 0;
    while (((legal >> action) & 1) == 0 || pick-- > 0) ++action;
    MoveRecord& record = new_record(index, lane, play_lane, action);
    for (int e = 0; e < kActions; ++e) record.policy[e] = 0;
    record.flags = random ? kFlagRandom : kFlagForced;
    record.root_value = 0;
    record.network_value = 0;
    record.surprise = 0;
    play_action(index, lane, play_lane, action, record);
  }

  WARI_HD void play_searched_move(int index, SearchLane& lane, PlayLane& play_lane) const {
    const SearchParameters& parameters = *view.parameters;
    const N& root = view.tree(index)[0];
    const RootData<N::kEdges>& data = view.roots[index];
    RootSummary<N::kEdges> summary;
    summarise(parameters, root, data, lane, summary);
    int action;
    if (lane.noisy && !parameters.gumbel) {
      action = sampled_action<N>(parameters, data, summary, play_parameters->temperature, random_unit(draw(lane, Purpose::move_choice)));
    } else {
      action = best_action<N>(parameters, data, summary);
    }
    play_lane.simulations += lane.simulations;
    play_lane.bad_outputs += lane.bad_outputs;
    MoveRecord& record = new_record(index, lane, play_lane, action);
    const bool full = play_lane.full != 0;
    record.flags = static_cast<std::uint8_t>((full ? kFlagFull : 0) | (lane.noisy ? kFlagNoise : 0));
    record.root_value = value_units(root.value);
    record.network_value = value_units(data.network_value);
    record.surprise = full ? surprise_units(summary.policy, data.prior) : 0;
    write_policy(summary.policy, root.legal, full, record.policy);
    play_action(index, lane, play_lane, action, record);
  }

  WARI_HD static std::int16_t value_units(float value) {
    const float clamped = value < -1.0f ? -1.0f : value > 1.0f ? 1.0f : value;
    return static_cast<std::int16_t>(clamped * 32767.0f);
  }

  WARI_HD static std::uint16_t surprise_units(const float* policy, const float* prior /* [kEdges] each */) {
    float sum = 0;
    for (int e = 0; e < N::kEdges; ++e) {
      if (policy[e] > 1e-9f) sum += policy[e] * (exact_log(policy[e]) - exact_log(prior[e] + 1e-20f));
    }
    const float units = sum * 4096.0f;
    return static_cast<std::uint16_t>(units < 0 ? 0.0f : units > 65535.0f ? 65535.0f : units);
  }

  // Shares as integers that sum to 65535 exactly: the largest takes what rounding left.
  WARI_HD static void write_policy(const float* policy /* [kEdges] */, std::uint32_t legal, bool full, std::uint16_t* target /* [kActions] */) {
    int left = 65535, largest = 0;
    for (int e = 0; e < kActions; ++e) target[e] = 0;
    if (!full) return;
    for (int e = 0; e < N::kEdges; ++e) {
      if (((legal >> e) & 1) == 0) continue;
      const int units = static_cast<int>(policy[e] * 65535.0f);
      target[e] = static_cast<std::uint16_t>(units);
      left -= units;
      if (target[e] > target[largest]) largest = e;
    }
    target[largest] = static_cast<std::uint16_t>(target[largest] + left);
  }

  WARI_HD MoveRecord& new_record(int index, const SearchLane& lane, PlayLane& play_lane, int action) const {
    MoveRecord& record = log[static_cast<std::int64_t>(index) * kLogSlots + play_lane.records++];
    record.game = lane.game;
    record.position = lane.history[lane.root_quiet];
    record.ply = static_cast<std::uint16_t>(lane.ply);
    record.quiet_plies = static_cast<std::uint16_t>(lane.root_quiet);
    record.action = static_cast<std::uint8_t>(action);
    record.rules_index = lane.rules_index;
    record.table_seeds = 0;
    record.reserved = 0;
    return record;
  }

  // Ends a game whose result the table knows, whatever a cycle would pay: right after a capture, when no position from before can recur.
  WARI_HD End adjudicate(const SearchLane& lane, const Rules& rules, const Position& position, MoveRecord& record) const {
    const PlayParameters& p = *play_parameters;
    const EndgameView& table = p.endgames[lane.rules_index];
    if (lane.root_quiet > 0 || !table.holds(position) || !endgame_time_left(rules, 0)) return End::none;
    const EndgameValue value = table.value(position);
    if (!value.exact || random_unit(random_bits(lane.seed, lane.game, 0, Purpose::adjudication, 0)) >= p.adjudicated_share) return End::none;
    record.table_seeds = static_cast<std::int8_t>(value.seeds);
    return End::table;
  }

  WARI_HD void play_action(int index, SearchLane& lane, PlayLane& play_lane, int action, MoveRecord& record) const {
    const SearchParameters& parameters = *view.parameters;
    const Rules& rules = parameters.rules[lane.rules_index];
    Position* const positions = lane_history(index);
    const Move move = play(*parameters.sowing, rules, positions[lane.root_quiet], action);
    lane.root_quiet = move.captured > 0 ? 0 : lane.root_quiet + 1;
    positions[lane.root_quiet] = move.position;
    End end = move.end != End::none ? move.end : end_by_history(rules, positions, lane.root_quiet + 1);
    if (end == End::none && play_parameters->endgames != nullptr) end = adjudicate(lane, rules, move.position, record);
    record.end = static_cast<std::uint8_t>(end);
    ++play_lane.moves;
    ++lane.ply;
    lane.phase = LanePhase::fresh;
    play_lane.legal = move.legal;
    if (end == End::none) return;
    ++play_lane.games;
    lane.game += static_cast<std::uint64_t>(play_parameters->total_lanes);
    begin_game(index, lane, play_lane);
  }
};

}  // namespace wari
