#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/endgame_views.h"
#include "search/lane_array.h"
#include "search/steps.h"

namespace wari {

SearchParameters search_parameters(const SearchSettings& settings);
// Fills the tables of reciprocals and c(n) sqrt(n).
void fill_tables(const SearchParameters& parameters, std::span<float> exploration, std::span<float> reciprocal);

inline constexpr std::int64_t kTableSizeMax = 65536;

// The memory of a number of searches in lanes, and the steps that they share: trees, roots, the rows of a wave. Whoever owns it decides what is searched.
template <class Executor, class NodeType>
class SearchArena {
 public:
  using N = NodeType;
  using Kernel = typename Executor::Kernel;
  template <class T>
  using Array = typename Executor::template Array<T>;

  // `nodes` per lane; `simulations`: the largest budget. With `one_tree` all lanes are leaves of one tree of so many nodes.
  SearchArena(const SearchSettings& settings, std::span<const Rules> rules, int lanes, std::int64_t nodes, std::int64_t simulations, bool tokens, const EndgameTables& tables = {},
              TableSearch table_search = TableSearch::all, bool one_tree = false)
      : lanes_(lanes), rule_sets_(rules.size()), parameters_(1, "search parameters"), rules_(rules.size(), "rules"), endgames_(tables, rules) {
    const std::int64_t table_size = std::min<std::int64_t>(simulations + 4, kTableSizeMax);
    exploration_ = Array<float>(static_cast<std::size_t>(table_size), "exploration");
    reciprocal_ = Array<float>(static_cast<std::size_t>(table_size), "reciprocals");
    // An odd number of nodes a lane spreads the roots over the sets of the caches.
    const std::int64_t stride = nodes | 1;
    const auto rows = static_cast<std::size_t>(lanes);
    lane_states_ = Array<SearchLane>(rows, "lanes", Contents::unset);
    roots_ = Array<RootData<NodeType::kEdges>>(rows, "roots", Contents::unset);
    nodes_ = Array<NodeType>((one_tree ? 1 : rows) * static_cast<std::size_t>(stride), "trees", Contents::unset);
    positions_ = Array<Position>(rows, "leaf positions", Contents::unset);
    quiet_plies_ = Array<std::uint16_t>(rows, "leaf quiet plies", Contents::unset);
    rules_index_ = Array<std::uint8_t>(rows, "leaf rules", Contents::unset);
    active_ = Array<std::uint8_t>(rows, "active rows", Contents::unset);
    if (tokens) tokens_ = Array<Token>(rows * kBoardTokens, "leaf tokens", Contents::unset);
    outputs_ = Array<float>(rows * kOutputs, "network outputs", Contents::unset);
    values_ = Array<float>(rows, "leaf values", Contents::unset);
    draws_ = Array<float>(rows, "leaf draws", Contents::unset);
    margins_ = Array<float>(rows, "leaf margins", Contents::unset);
    bad_ = Array<std::uint8_t>(rows, "bad rows", Contents::unset);
    paths_ = Array<std::uint64_t>(rows * kPathKept, "paths", Contents::unset);
    path_nodes_ = Array<std::int32_t>(rows, "path lengths", Contents::unset);
    rules_.write(rules);
    SearchParameters parameters = search_parameters(settings);
    std::vector<float> exploration(exploration_.size()), reciprocal(reciprocal_.size());
    fill_tables(parameters, exploration, reciprocal);
    exploration_.write(exploration);
    reciprocal_.write(reciprocal);
    parameters.sowing = executor_.sowing();
    parameters.rules = rules_.data();
    parameters.endgames = endgames_.data();
    parameters.table_estimates = table_search == TableSearch::all;
    parameters.exploration = exploration_.data();
    parameters.reciprocal = reciprocal_.data();
    parameters.table_size = static_cast<std::int32_t>(table_size);
    parameters_.write({&parameters, 1});
    SearchLane lane;
    lane.node_capacity = static_cast<std::int32_t>(nodes);
    lane_states_.write(std::vector<SearchLane>(rows, lane));
    view_ = {parameters_.data(), lane_states_.data(), roots_.data(), nodes_.data(), one_tree ? 0 : stride,
             {positions_.data(), quiet_plies_.data(), rules_index_.data(), active_.data(), tokens_.data(), outputs_.data(), values_.data(), draws_.data(), margins_.data(),
              bad_.data()},
             paths_.data(), path_nodes_.data()};
  }

  int lanes() const { return lanes_; }
  // Uses only the first `lanes` of those that there is memory for.
  void use_lanes(int lanes) { lanes_ = lanes; }
  const SearchView<NodeType>& view() const { return view_; }
  const Executor& executor() const { return executor_; }
  const Array<SearchLane>& lane_states() const { return lane_states_; }
  const Array<RootData<NodeType::kEdges>>& roots() const { return roots_; }
  const Array<NodeType>& nodes() const { return nodes_; }
  const Array<Token>& tokens() const { return tokens_; }
  const Array<float>& output_rows() const { return outputs_; }

  typename Executor::template OpenStep<NodeType> open_step() const { return {view_}; }
  typename Executor::template BackupStep<NodeType> backup_step() const { return {view_}; }
  typename Executor::template DescendStep<NodeType> descend_step() const { return {view_}; }
  ExpandStep<Kernel, NodeType> expand_step() const { return {view_}; }
  typename Executor::template EncodeStep<NodeType> encode_step() const { return {view_}; }
  template <class... Steps>
  void wave(const Steps&... steps) const { executor_.wave(lanes_, PrefetchStep<NodeType>{view_}, steps...); }

  // The rows of the present wave, `rows` of them from `first` on.
  EvaluationBatch batch(int rows, std::size_t first = 0) const {
    EvaluationBatch batch;
    batch.rows = rows;
    batch.positions = positions_.data() + first;
    batch.quiet_plies = quiet_plies_.data() + first;
    batch.rules_index = rules_index_.data() + first;
    batch.rules = {rules_.data(), rule_sets_};
    batch.board_tokens = tokens_.size() == 0 ? nullptr : tokens_.data() + first * kBoardTokens;
    batch.active = active_.data() + first;
    batch.stream = executor_.stream();
    return batch;
  }
  float* outputs() const { return outputs_.data(); }
  int active_rows() const {
    int rows = 0;
    for (int lane = 0; lane < lanes_; ++lane) rows += active_[static_cast<std::size_t>(lane)];
    return rows;
  }

 private:
  int lanes_;
  std::size_t rule_sets_;
  Executor executor_;
  Array<SearchParameters> parameters_;     // [1]
  Array<Rules> rules_;                     // [rule sets]
  EndgameViews<Executor> endgames_;
  Array<float> exploration_, reciprocal_;  // [table size]
  Array<SearchLane> lane_states_;          // [lanes]
  Array<RootData<NodeType::kEdges>> roots_;  // [lanes]
  Array<NodeType> nodes_;                  // [lanes, node stride]
  Array<Position> positions_;              // [lanes] and so on: the rows of a wave
  Array<std::uint16_t> quiet_plies_;
  Array<std::uint8_t> rules_index_, active_;
  Array<Token> tokens_;                    // [lanes, kBoardTokens]
  Array<float> outputs_;                   // [lanes, kOutputs]
  Array<float> values_, draws_, margins_;  // [lanes]
  Array<std::uint8_t> bad_;                // [lanes]
  Array<std::uint64_t> paths_;             // [lanes, kPathKept]
  Array<std::int32_t> path_nodes_;         // [lanes]
  SearchView<NodeType> view_;
};

}  // namespace wari
