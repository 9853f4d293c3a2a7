#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/batch_search.h"
#include "search/search_arena.h"

namespace wari {

// A request with the place of its rules among those of the call.
struct IndexedRequest {
  const RootRequest* request = nullptr;
  RootResult* result = nullptr;
  std::uint8_t rules_index = 0;
};

// The end of a request's root, none if it can be searched.
End end_of_root(const RootRequest& request);

// The searches of one worker and one layout of nodes: lanes are fed with requests until none is left.
template <class Executor, class NodeType>
class BatchLanes {
 public:
  static constexpr int kEdges = NodeType::kEdges;

  void run(const BatchSearchSettings& settings, std::span<const Rules> rules, int lanes, std::span<const IndexedRequest> requests, Evaluator& evaluator) {
    if (requests.empty()) return;
    lanes = std::min<int>(lanes, static_cast<int>(requests.size()));
    std::int64_t simulations = 1;
    for (const IndexedRequest& indexed : requests) simulations = std::max<std::int64_t>(simulations, indexed.request->simulations);
    prepare(settings, rules, lanes, simulations, evaluator.needs_tokens());
    std::vector<std::size_t> request_of_lane(static_cast<std::size_t>(lanes));
    std::size_t next = 0;
    for (int lane = 0; lane < lanes; ++lane) feed(settings, lane, requests, next, request_of_lane);
    for (;;) {
      arena_->wave(arena_->encode_step());
      if (arena_->active_rows() > 0) {
        evaluator.evaluate(arena_->batch(lanes), arena_->outputs());
      } else if (all_idle(lanes)) {
        return;
      }
      arena_->wave(arena_->open_step(), arena_->backup_step(), arena_->descend_step(), arena_->expand_step());
      for (int lane = 0; lane < lanes; ++lane) {
        if (arena_->lane(lane).phase != LanePhase::spent) continue;
        const IndexedRequest& done = requests[request_of_lane[static_cast<std::size_t>(lane)]];
        *done.result = result_of(lane, *done.request);
        feed(settings, lane, requests, next, request_of_lane);
      }
    }
  }

 private:
  // Memory is kept from call to call while it fits.
  void prepare(const BatchSearchSettings& settings, std::span<const Rules> rules, int lanes, std::int64_t simulations, bool tokens) {
    const bool fits = arena_ && lanes <= lanes_made_ && simulations <= simulations_made_ && tokens == tokens_made_ && std::equal(rules.begin(), rules.end(), rules_made_.begin(), rules_made_.end());
    if (!fits) {
      arena_.reset();
      const std::int64_t nodes = std::min<std::int64_t>(simulations + 1, std::max<std::int64_t>(settings.nodes_max, 2));
      arena_.emplace(settings.search, rules, lanes, nodes, simulations, tokens);
      lanes_made_ = lanes;
      simulations_made_ = simulations;
      tokens_made_ = tokens;
      rules_made_.assign(rules.begin(), rules.end());
    }
    arena_->use_lanes(lanes);
  }

  // Begins the next request in the lane; idle when none is left.
  void feed(const BatchSearchSettings& settings, int index, std::span<const IndexedRequest> requests, std::size_t& next, std::vector<std::size_t>& request_of_lane) {
    SearchLane& lane = arena_->lane(index);
    if (next == requests.size()) {
      lane.phase = LanePhase::idle;
      lane.leaf = kNoLeaf;
      return;
    }
    request_of_lane[static_cast<std::size_t>(index)] = next;
    const IndexedRequest& indexed = requests[next++];
    const RootRequest& request = *indexed.request;
    lane.history = request.since_capture.data();
    lane.root_quiet = static_cast<std::int32_t>(request.since_capture.size()) - 1;
    lane.rules_index = indexed.rules_index;
    lane.budget = request.simulations;
    lane.noisy = settings.noise;
    lane.seed = 0;
    lane.game = request.key;
    lane.ply = static_cast<std::uint32_t>(lane.root_quiet);
    const Position& position = request.since_capture.back();
    begin_search(arena_->view(), index, position, legal_actions(sowing_tables(), request.rules, position));
  }

  bool all_idle(int lanes) const {
    for (int lane = 0; lane < lanes; ++lane) {
      if (arena_->lane(lane).phase != LanePhase::idle) return false;
    }
    return true;
  }

  // A proven value by who won; without a margin's share it is that already.
  static float exact_value(float value) { return value > 0 ? 1.0f : value < 0 ? -1.0f : 0.0f; }

  RootResult result_of(int index, const RootRequest& request) const {
    const SearchView<NodeType>& view = arena_->view();
    const NodeType* const nodes = view.tree(index);
    const NodeType& root = nodes[0];
    const SearchLane& lane = arena_->lane(index);
    const RootData<kEdges>& data = arena_->root_data(index);
    RootSummary<kEdges> summary;
    summarise(*view.parameters, root, data, lane, summary);
    RootResult result;
    result.best = best_action<NodeType>(*view.parameters, data, summary);
    result.simulations = lane.simulations;
    for (int e = 0; e < kEdges; ++e) {
      if (((root.legal >> e) & 1) == 0) continue;
      const bool proven = ((root.proven_edges >> e) & 1) != 0;
      result.actions.push_back({e, summary.visits[e], data.prior[e], summary.policy[e], proven ? exact_value(summary.values[e]) : summary.values[e], proven});
    }
    result.proven = ((root.proven_edges >> result.best) & 1) != 0;
    result.value = result.proven ? exact_value(summary.values[result.best]) : summary.values[result.best];
    fill_outcome(lane, request.rules, result);
    const NodeType& last = nodes[fill_line(nodes, result)];
    if (result.proven && (last.flags & kNodeTerminal) != 0) result.margin = margin_of_end(*view.parameters, request.rules, last.position, static_cast<End>(last.end), root.position);
    return result;
  }

  // Win, draw and loss of the best move, so that win minus loss is its value; the share of draws and the margin are means over all evaluations of the search.
  static void fill_outcome(const SearchLane& lane, const Rules& rules, RootResult& result) {
    const float count = static_cast<float>(lane.simulations + 1);
    const float value = std::clamp(result.value, -1.0f, 1.0f);
    float draw = result.proven ? (value == 0 ? 1.0f : 0.0f) : lane.draw_sum / count;
    draw = std::min(draw, 1.0f - std::fabs(value));
    result.wdl[0] = (1.0f - draw + value) * 0.5f;
    result.wdl[1] = draw;
    result.wdl[2] = (1.0f - draw - value) * 0.5f;
    result.margin = lane.margin_sum / count * static_cast<float>(rules.total_seeds());
  }

  // The line that both sides would play: best move of the root, then the most visited, or a proven win.
  // Returns the line's last node.
  static std::uint32_t fill_line(const NodeType* nodes, RootResult& result) {
    int edge = result.best;
    std::uint32_t at = 0;
    while (edge >= 0) {
      result.line.push_back(edge);
      const std::uint32_t child = nodes[at].child_index(edge);
      if (child == 0) break;
      at = child;
      edge = nodes[at].visits == 0 || (nodes[at].flags & kNodeTerminal) != 0 ? -1 : most_visited(nodes[at]);
    }
    return at;
  }

  // Seeds that the root's mover has more than the opponent when the game has ended at `position`.
  static float margin_of_end(const SearchParameters& parameters, const Rules& rules, const Position& position, End end, const Position& root) {
    const float margin = terminal_value(parameters, rules, position, end).margin * static_cast<float>(rules.total_seeds());
    return north_moves(position) == north_moves(root) ? margin : -margin;
  }

  static int most_visited(const NodeType& node) {
    int best = -1;
    for (int e = 0; e < kEdges; ++e) {
      if (node.edge_visits[e] == 0) continue;
      const bool proven = ((node.proven_edges >> e) & 1) != 0;
      if (proven && node.edge_value[e] > 0) return e;
      const bool better = best < 0 || node.edge_visits[e] > node.edge_visits[best] || (node.edge_visits[e] == node.edge_visits[best] && node.edge_value[e] > node.edge_value[best]);
      if (better) best = e;
    }
    return best;
  }

  std::optional<SearchArena<Executor, NodeType>> arena_;
  int lanes_made_ = 0;
  std::int64_t simulations_made_ = 0;
  bool tokens_made_ = false;
  std::vector<Rules> rules_made_;
};

}  // namespace wari
