#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/batch_search.h"
#include "search/batch_steps.h"
#include "search/root_result.h"
#include "search/search_arena.h"

namespace wari {

// A request with the place of its rules among those of the call.
struct IndexedRequest {
  const RootRequest* request = nullptr;
  RootResult* result = nullptr;
  std::uint8_t rules_index = 0;
};

// The searches of one worker and one layout of nodes: lanes are fed with requests until none is left.
template <class Executor, class NodeType>
class BatchLanes {
 public:
  static constexpr int kEdges = NodeType::kEdges;
  template <class T>
  using Array = typename Executor::template Array<T>;

  void run(const BatchSearchSettings& settings, std::span<const Rules> rules, int lanes, std::span<const IndexedRequest> requests, Evaluator& evaluator) {
    if (requests.empty()) return;
    if (!Executor::kOnDevice) lanes = std::min<int>(lanes, static_cast<int>(requests.size()));  // a device's evaluator has batches of one size
    std::int64_t simulations = 1;
    for (const IndexedRequest& indexed : requests) simulations = std::max<std::int64_t>(simulations, indexed.request->simulations);
    prepare(settings, rules, lanes, simulations, evaluator.needs_tokens());
    write_tasks(settings, lanes, requests);
    arena_->executor().each(lanes, FirstTaskStep<NodeType>{task_step()});
    if constexpr (Executor::kOnDevice) {
      search_on_device(lanes, evaluator);
    } else {
      search_on_host(lanes, evaluator);
    }
    const auto answers = answers_.read();
    for (std::size_t i = 0; i < requests.size(); ++i) *requests[i].result = result_of(answers[i], requests[i].request->rules);
  }

 private:
  // Memory is kept from call to call while it fits.
  void prepare(const BatchSearchSettings& settings, std::span<const Rules> rules, int lanes, std::int64_t simulations, bool tokens) {
    const bool fits = arena_ && lanes <= lanes_made_ && simulations <= simulations_made_ && tokens == tokens_made_ && std::equal(rules.begin(), rules.end(), rules_made_.begin(), rules_made_.end());
    if (!fits) {
      arena_.reset();
      const std::int64_t nodes = std::min<std::int64_t>(simulations + 1, std::max<std::int64_t>(settings.nodes_max, 2));
      arena_.emplace(settings.search, rules, lanes, nodes, simulations, tokens, settings.tables, settings.table_search);
      task_of_lane_ = Array<std::int32_t>(static_cast<std::size_t>(lanes), "tasks of lanes", Contents::unset);
      lanes_made_ = lanes;
      simulations_made_ = simulations;
      tokens_made_ = tokens;
      rules_made_.assign(rules.begin(), rules.end());
    }
    arena_->use_lanes(lanes);
  }

  void write_tasks(const BatchSearchSettings& settings, int lanes, std::span<const IndexedRequest> requests) {
    std::vector<SearchTask> tasks;
    std::vector<Position> positions;
    for (const IndexedRequest& indexed : requests) {
      const RootRequest& request = *indexed.request;
      tasks.push_back({static_cast<std::int64_t>(positions.size()), static_cast<std::int32_t>(request.since_capture.size()), request.simulations, request.key, indexed.rules_index});
      positions.insert(positions.end(), request.since_capture.begin(), request.since_capture.end());
    }
    grow(tasks_, tasks.size());
    grow(positions_, positions.size());
    grow(answers_, tasks.size());
    grow(shared_, 1);
    tasks_.write(tasks);
    positions_.write(positions);
    const SearchTasks<kEdges> shared{tasks_.data(), positions_.data(), answers_.data(), static_cast<std::int32_t>(tasks.size()), lanes, settings.noise};
    shared_.write({&shared, 1});
  }

  template <class T>
  static void grow(Array<T>& array, std::size_t size) {
    if (array.size() < size) array = Array<T>(std::max(size, 2 * array.size()), "requests and answers", Contents::unset);
  }

  TaskStep<NodeType> task_step() const { return {arena_->view(), shared_.data(), task_of_lane_.data()}; }

  void search_on_host(int lanes, Evaluator& evaluator) {
    for (;;) {
      arena_->wave(arena_->encode_step());
      if (arena_->active_rows() > 0) {
        evaluator.evaluate(arena_->batch(lanes), arena_->outputs());
      } else if (all_idle(lanes)) {
        return;
      }
      arena_->wave(arena_->open_step(), arena_->backup_step(), arena_->descend_step(), arena_->expand_step(), task_step());
    }
  }

  // A few waves are put on the GPU's stream before anybody looks whether all is done.
  void search_on_device(int lanes, Evaluator& evaluator) {
    // A graph of waves serves later calls too: what changes from call to call lies in the device's memory, and new lanes come with an executor of their own.
    if (std::exchange(graph_evaluator_, &evaluator) != &evaluator) arena_->executor().forget();
    do {
      arena_->executor().together([&] {
        for (int wave = 0; wave < arena_->executor().waves_together(); ++wave) {
          arena_->wave(arena_->encode_step());
          evaluator.evaluate(arena_->batch(lanes), arena_->outputs());
          arena_->wave(arena_->open_step(), arena_->backup_step());
          arena_->wave(arena_->descend_step(), arena_->expand_step());
          arena_->wave(task_step());
        }
      });
      arena_->executor().wait();
    } while (!all_idle(lanes));
  }

  bool all_idle(int lanes) const {
    const auto states = arena_->lane_states().read();
    return std::all_of(states.begin(), states.begin() + lanes, [](const SearchLane& lane) { return lane.phase == LanePhase::idle; });
  }

  std::optional<SearchArena<Executor, NodeType>> arena_;
  Array<std::int32_t> task_of_lane_;           // [lanes]
  Array<SearchTask> tasks_;                    // [requests], or more
  Array<Position> positions_;
  Array<SearchAnswer<kEdges>> answers_;
  Array<SearchTasks<kEdges>> shared_;          // [1]
  const Evaluator* graph_evaluator_ = nullptr;  // whose work a device's graph holds
  int lanes_made_ = 0;
  std::int64_t simulations_made_ = 0;
  bool tokens_made_ = false;
  std::vector<Rules> rules_made_;
};

}  // namespace wari
