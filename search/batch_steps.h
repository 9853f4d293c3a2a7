#pragma once

#include "search/answer.h"
#include "search/steps.h"

// Searches of given positions in lanes: a lane takes up requests number lane, lane + lanes, ..., one after the other, and leaves an answer for each.
namespace wari {

// A request as its lane reads it.
struct SearchTask {
  std::int64_t first_position = 0;  // of those since the last capture, among all requests'
  std::int32_t positions = 0;       // how many; the last is the root
  std::int32_t budget = 0;
  std::uint64_t key = 0;
  std::uint8_t rules_index = 0;
};

// The requests of one call.
template <int Edges>
struct SearchTasks {
  const SearchTask* tasks = nullptr;       // [count]
  const Position* positions = nullptr;     // of all requests, one after the other
  SearchAnswer<Edges>* answers = nullptr;  // [count]
  std::int32_t count = 0, lanes = 0;
  bool noise = false;
};

// Takes the answer of a search that has ended and begins the lane's next one.
template <class N>
struct TaskStep {
  SearchView<N> view;
  const SearchTasks<N::kEdges>* shared;  // in the executor's memory, so that a graph of waves serves any number of calls
  std::int32_t* task_of_lane;            // [lanes]

  WARI_HD void operator()(int index) const {
    SearchLane& lane = view.lanes[index];
    if (lane.phase != LanePhase::spent) return;
    const SearchTasks<N::kEdges>& all = *shared;  // not a copy: it would fill registers while the answer is written
    write_answer(*view.parameters, view.tree(index), view.roots[index], lane, all.answers[task_of_lane[index]]);
    begin(index, lane, all, task_of_lane[index] + all.lanes);
  }

  // Request `next`, or nothing more to do where there is none.
  WARI_HD void begin(int index, SearchLane& lane, const SearchTasks<N::kEdges>& all, std::int32_t next) const {
    lane.leaf = kNoLeaf;
    if (next >= all.count) {
      lane.phase = LanePhase::idle;
      return;
    }
    task_of_lane[index] = next;
    const SearchTask& task = all.tasks[next];
    lane.history = all.positions + task.first_position;
    lane.root_quiet = task.positions - 1;
    lane.rules_index = task.rules_index;
    lane.budget = task.budget;
    lane.noisy = all.noise;
    lane.seed = 0;
    lane.game = task.key;
    lane.ply = static_cast<std::uint32_t>(lane.root_quiet);
    const Position position = lane.history[lane.root_quiet];
    begin_search(view, index, position, legal_actions(*view.parameters->sowing, view.parameters->rules[task.rules_index], position));
  }
};

// Every lane's first request of a call, whatever the lane did before.
template <class N>
struct FirstTaskStep {
  TaskStep<N> task;

  WARI_HD void operator()(int index) const { task.begin(index, task.view.lanes[index], *task.shared, index); }
};

}  // namespace wari
