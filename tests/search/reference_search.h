#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/game.h"
#include "search/evaluator.h"
#include "search/plain_kernel.h"
#include "search/settings.h"

namespace wari {

// The search written down as the books have it: pointers, doubles, a Game that is played and taken back, no stored best edges. Slow, and independent of the lanes.
class ReferenceSearch {
 public:
  struct Node;
  struct Edge {
    int action = 0;
    double prior = 0, logit = 0;
    int visits = 0;
    double sum = 0;       // of this node's mover
    bool proven = false;
    double exact = 0;
    std::unique_ptr<Node> child;
    double q() const { return proven ? exact : sum / visits; }
  };
  struct Node {
    bool terminal = false, proven = false, north = false;
    double value = 0;     // exact if proven, else the evaluator's
    int visits = 0;
    double sum = 0;
    std::vector<Edge> edges;
  };

  ReferenceSearch(const SearchSettings& settings, const Game& game, Evaluator& evaluator) : settings_(settings), game_(game), evaluator_(evaluator) {}

  // Root visits by action; the root of a proven position ends the search.
  std::vector<int> run(int simulations) {
    expand(root_);
    for (done_ = 0; done_ < simulations && !root_.proven; ++done_) simulate(root_, simulations);
    std::vector<int> visits(kActions, 0);
    for (const Edge& edge : root_.edges) visits[static_cast<std::size_t>(edge.action)] = edge.visits;
    return visits;
  }
  const Node& root() const { return root_; }
  int done() const { return done_; }

 private:
  // Opens the node at game_ and returns its value for its mover.
  double expand(Node& node) {
    node.north = north_moves(game_.position());
    if (game_.is_over()) {
      const FinalStores stores = game_.final_stores();
      node.terminal = node.proven = true;
      node.value = stores.mover_half_seeds > stores.opponent_half_seeds ? 1 : stores.mover_half_seeds < stores.opponent_half_seeds ? -1 : 0;
      return node.value;
    }
    float outputs[kOutputs];
    const Rules rules = game_.rules();
    const Position position = game_.position();
    const auto quiet = static_cast<std::uint16_t>(game_.quiet_plies());
    const std::uint8_t zero = 0, one = 1;
    EvaluationBatch batch;
    batch.rows = 1;
    batch.positions = &position;
    batch.quiet_plies = &quiet;
    batch.rules_index = &zero;
    batch.rules = {&rules, 1};
    batch.active = &one;
    evaluator_.evaluate(batch, outputs);
    double sum = 0;
    for (int action = 0; action < kActions; ++action) {
      if (((game_.legal() >> action) & 1) == 0) continue;
      Edge edge;
      edge.action = action;
      edge.logit = outputs[action];
      edge.prior = std::exp(edge.logit);
      sum += edge.prior;
      node.edges.push_back(std::move(edge));
    }
    for (Edge& edge : node.edges) edge.prior = prior_units(static_cast<float>(edge.prior / sum)) / 65535.0;  // as the nodes keep it
    const double w = std::exp(outputs[kWdlOutput]), d = std::exp(outputs[kWdlOutput + 1]), l = std::exp(outputs[kWdlOutput + 2]);
    node.value = (w - l) / (w + d + l);
    node.visits = 1;
    node.sum = node.value;
    return node.value;
  }

  Edge& select_puct(Node& node) const {
    Edge* best = nullptr;
    double best_score = 0;
    for (Edge& edge : node.edges) {
      const double first_play = std::max(-1.0, node.sum / node.visits - settings_.fpu_reduction);
      double c = settings_.c_puct;
      if (settings_.c_puct_log_base > 0) c += std::log((node.visits + settings_.c_puct_log_base + 1) / settings_.c_puct_log_base);
      const double bonus = edge.proven ? 0 : c * edge.prior * std::sqrt(static_cast<double>(node.visits)) / (1 + edge.visits);
      const double score = (edge.visits == 0 ? first_play : edge.q()) + bonus;
      if (best == nullptr || score > best_score) {
        best = &edge;
        best_score = score;
      }
    }
    return *best;
  }

  // Sequential halving by sorting: in each phase the considered moves are the best by logit + sigma(q) of those considered before.
  Edge& select_gumbel(Node& node, int budget) {
    const int considered = considered_visit(static_cast<int>(node.edges.size()), budget);
    int most = 0;
    for (const Edge& edge : node.edges) most = std::max(most, edge.visits);
    Edge* best = nullptr;
    double best_score = 0;
    for (Edge& edge : node.edges) {
      if (edge.visits != considered) continue;
      const double score = edge.logit + (edge.visits == 0 ? 0 : (settings_.gumbel_c_visit + most) * settings_.gumbel_c_scale * edge.q());
      if (best == nullptr || score > best_score) {
        best = &edge;
        best_score = score;
      }
    }
    return *best;
  }

  int considered_visit(int moves, int budget) const {
    if (moves == 1) return done_;
    const int phases = static_cast<int>(std::ceil(std::log2(moves)));
    std::vector<int> visits(static_cast<std::size_t>(moves), 0);
    int considered = moves, place = 0;
    for (;;) {
      const int rounds = std::max(1, budget / (phases * considered));
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < considered; ++i, ++place) {
          if (place == done_) return visits[static_cast<std::size_t>(i)];
          ++visits[static_cast<std::size_t>(i)];
        }
      }
      considered = std::max(2, considered / 2);
    }
  }

  // One simulation below `node`; returns its value for the node's mover.
  double simulate(Node& node, int budget) {
    Edge& edge = &node == &root_ && settings_.algorithm == Algorithm::gumbel ? select_gumbel(node, budget) : select_puct(node);
    game_.play(edge.action);
    double value;
    if (!edge.child) {
      edge.child = std::make_unique<Node>();
      value = expand(*edge.child);
    } else {
      value = edge.child->proven ? edge.child->value : simulate(*edge.child, budget);
    }
    game_.take_back();
    if (edge.child->north != node.north) value = -value;
    ++edge.visits;
    edge.sum += value;
    ++node.visits;
    node.sum += value;
    if (edge.child->proven) {
      edge.proven = true;
      edge.exact = edge.child->north != node.north ? -edge.child->value : edge.child->value;
      bool all = true;
      double best = -1;
      for (const Edge& other : node.edges) {
        all = all && other.proven;
        if (other.proven) best = std::max(best, other.exact);
      }
      if (all || best > 0) {
        node.proven = true;
        node.value = best;
        return best;
      }
    }
    return value;
  }

  SearchSettings settings_;
  Game game_;
  Evaluator& evaluator_;
  Node root_;
  int done_ = 0;
};

}  // namespace wari
