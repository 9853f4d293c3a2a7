#pragma once

#include "search/root.h"
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

inline constexpr int kLineKept = 64;  // moves of a principal variation

// What a search found, as the root's mover sees it.
template <int Edges>
struct SearchAnswer {
  RootSummary<Edges> summary;
  float prior[Edges];
  std::uint32_t legal = 0, proven = 0;  // masks of actions
  std::int32_t best = -1;
  std::int32_t simulations = 0;
  float draw = 0;                       // mean over all evaluations
  float margin = 0;                     // likewise, as a share of all seeds; of the line's end where that is proven
  std::int32_t line_length = 0;
  std::uint8_t line[kLineKept];
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
    answer(index, lane, all.answers[task_of_lane[index]]);
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

 private:
  WARI_HD void answer(int index, const SearchLane& lane, SearchAnswer<N::kEdges>& to) const {
    const N* const nodes = view.tree(index);
    const N& root = nodes[0];
    const RootData<N::kEdges>& data = view.roots[index];
    summarise(*view.parameters, root, data, lane, to.summary);
    for (int e = 0; e < N::kEdges; ++e) to.prior[e] = data.prior[e];
    to.legal = root.legal;
    to.proven = root.proven_edges;
    to.best = best_action<N>(*view.parameters, data, to.summary);
    to.simulations = lane.simulations;
    const float count = static_cast<float>(lane.simulations + 1);
    to.draw = lane.draw_sum / count;
    to.margin = lane.margin_sum / count;
    const N& last = nodes[write_line(nodes, to)];
    if (((to.proven >> to.best) & 1) == 0 || (last.flags & (kNodeTerminal | kNodeTable)) == 0) return;
    const Rules& rules = view.parameters->rules[lane.rules_index];
    const bool over = (last.flags & kNodeTerminal) != 0;
    const float margin = (over ? terminal_value(*view.parameters, rules, last.position, static_cast<End>(last.end)) : table_value(*view.parameters, rules, last)).margin;
    to.margin = north_moves(last.position) == north_moves(root.position) ? margin : -margin;
  }

  // The line that both sides would play: best move of the root, then the most visited, or a proven win. Returns the line's last node.
  WARI_HD static std::uint32_t write_line(const N* nodes, SearchAnswer<N::kEdges>& to) {
    int edge = to.best;
    std::uint32_t at = 0;
    to.line_length = 0;
    while (edge >= 0) {
      if (to.line_length < kLineKept) to.line[to.line_length++] = static_cast<std::uint8_t>(edge);
      const std::uint32_t child = nodes[at].child_index(edge);
      if (child == 0) break;
      at = child;
      edge = nodes[at].visits == 0 || (nodes[at].flags & kNodeTerminal) != 0 ? -1 : most_visited(nodes[at]);
    }
    return at;
  }

  WARI_HD static int most_visited(const N& node) {
    int best = -1;
    for (int e = 0; e < N::kEdges; ++e) {
      if (node.edge_visits[e] == 0) continue;
      const bool proven = ((node.proven_edges >> e) & 1) != 0;
      if (proven && node.edge_value[e] > 0) return e;
      const bool better = best < 0 || node.edge_visits[e] > node.edge_visits[best] || (node.edge_visits[e] == node.edge_visits[best] && node.edge_value[e] > node.edge_value[best]);
      if (better) best = e;
    }
    return best;
  }
};

// Every lane's first request of a call, whatever the lane did before.
template <class N>
struct FirstTaskStep {
  TaskStep<N> task;

  WARI_HD void operator()(int index) const { task.begin(index, task.view.lanes[index], *task.shared, index); }
};

}  // namespace wari
