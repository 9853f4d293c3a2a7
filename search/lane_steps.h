#pragma once

#include "search/play_step.h"

// What happens to the lanes of self-play seldom, between waves: a lane's first game, and changes from outside.
namespace wari {

// Has simulations that its PlayLane does not count yet.
WARI_HD inline bool is_under_way(const SearchLane& lane) { return lane.phase == LanePhase::searching || lane.phase == LanePhase::spent; }

// Lane 0 begins with game `first_game`, lane 1 with the next.
template <class N>
struct BeginStep {
  TurnStep<N> turn;
  std::int64_t first_game;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = turn.view.lanes[index];
    lane.game = static_cast<std::uint64_t>(first_game + index);
    turn.begin_game(index, lane, turn.play_lanes[index]);
  }
};

// Counts the rows that hold a position, for engines whose host does not look at every wave.
template <class N>
struct CountStep {
  SearchView<N> view;

  WARI_HD void operator()(int index) const { view.lanes[index].evaluations += view.lanes[index].leaf >= 0 ? 1 : 0; }
};

// There are games again for lanes that idle.
template <class N>
struct WakeStep {
  TurnStep<N> turn;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = turn.view.lanes[index];
    if (lane.phase == LanePhase::idle) turn.begin_game(index, lane, turn.play_lanes[index]);
  }
};

// Drops the search under way; what it did is done all the same.
template <class N>
struct RestartStep {
  TurnStep<N> turn;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = turn.view.lanes[index];
    if (lane.phase == LanePhase::idle) return;
    if (is_under_way(lane)) {
      turn.play_lanes[index].simulations += lane.simulations;
      turn.play_lanes[index].bad_outputs += lane.bad_outputs;
    }
    lane.leaf = kNoLeaf;
    lane.phase = LanePhase::fresh;
  }
};

// Goes on with the game whose number, ply and positions were put into the lane.
template <class N>
struct ResumeStep {
  TurnStep<N> turn;

  WARI_HD void operator()(int index) const {
    SearchLane& lane = turn.view.lanes[index];
    if (lane.phase != LanePhase::fresh) return;
    lane.history = turn.lane_history(index);
    turn.resume_game(lane, turn.play_lanes[index], lane.history[lane.root_quiet]);
  }
};

}  // namespace wari
