#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/game.h"
#include "search/cpu_executor.h"
#include "search/evaluator.h"
#include "search/plain_steps.h"
#include "search/search_arena.h"

namespace wari {

// The processor's executor with the plain kernel.
struct PlainExecutor : PlainSteps {
  static constexpr bool kOnDevice = false;
  template <class T>
  using Array = LaneArray<T>;
  static const SowingTables* sowing() { return &sowing_tables(); }
  static void* stream() { return nullptr; }
  template <class Prefetch, class... Steps>
  static void wave(int lanes, const Prefetch&, const Steps&... steps) {
    (run(steps, lanes), ...);
  }
  template <class Step>
  static void run(const Step& step, int lanes) {
    for (int lane = 0; lane < lanes; ++lane) step(lane);
  }
};

// One search in one lane whose tree can be looked at.
template <class NodeType, class Executor = CpuExecutor>
class OneSearch {
 public:
  OneSearch(const SearchSettings& settings, const Game& game, int simulations, Evaluator& evaluator, bool noisy = false, std::uint64_t key = 0, std::int64_t nodes = 0,
            const EndgameTables& tables = {})
      : rules_(game.rules()), arena_(settings, {&rules_, 1}, 1, nodes == 0 ? simulations + 1 : nodes, simulations, evaluator.needs_tokens(), tables), history_(game.since_capture()) {
    SearchLane& lane = arena_.lane_states()[0];
    lane.history = history_.data();
    lane.root_quiet = static_cast<std::int32_t>(history_.size()) - 1;
    lane.budget = simulations;
    lane.noisy = noisy;
    lane.game = key;
    begin_search(arena_.view(), 0, history_.back(), game.legal());
    while (lane.phase != LanePhase::spent) {
      arena_.wave(arena_.descend_step(), arena_.expand_step(), arena_.encode_step());
      if (arena_.active_rows() > 0) evaluator.evaluate(arena_.batch(1), arena_.outputs());
      arena_.wave(arena_.open_step(), arena_.backup_step());
    }
    summarise(*arena_.view().parameters, root(), arena_.view().roots[0], lane, summary_);
  }

  const NodeType& root() const { return node(0); }
  const NodeType& node(std::size_t index) const { return arena_.view().tree(0)[index]; }
  int node_count() const { return arena_.lane_states()[0].node_count; }
  const SearchLane& lane() const { return arena_.lane_states()[0]; }
  const RootData<NodeType::kEdges>& data() const { return arena_.view().roots[0]; }
  const RootSummary<NodeType::kEdges>& summary() const { return summary_; }
  int best() const { return best_action<NodeType>(*arena_.view().parameters, arena_.view().roots[0], summary_); }

 private:
  Rules rules_;
  SearchArena<Executor, NodeType> arena_;
  std::vector<Position> history_;
  RootSummary<NodeType::kEdges> summary_;
};

// An evaluator made of a function of one row.
class FunctionEvaluator final : public Evaluator {
 public:
  using Function = std::function<void(const EvaluationBatch&, int row, float* outputs /* [kOutputs] */)>;
  explicit FunctionEvaluator(Function function, bool tokens = false) : function_(std::move(function)), tokens_(tokens) {}
  bool needs_tokens() const override { return tokens_; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    for (int row = 0; row < batch.rows; ++row) function_(batch, row, outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<FunctionEvaluator>(function_, tokens_); }

 private:
  Function function_;
  bool tokens_;
};


}  // namespace wari
