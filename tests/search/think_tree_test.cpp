#include "search/think_tree.h"

#include <gtest/gtest.h>

#include "core/notation.h"
#include "tests/search/one_search.h"
#include "tests/search/thoughts.h"

namespace wari {
namespace {

// A tree that can be looked at, of a game under any rules.
template <class N>
struct OpenTree {
  std::unique_ptr<Evaluator> evaluator = make_hash_evaluator(8);
  ThinkTreeOf<N> tree;
  ChunkWorkers workers{2, [this](int worker, int chunk) { tree.judge_chunk(chunk, *evaluators[static_cast<std::size_t>(worker)]); }};
  std::unique_ptr<Evaluator> evaluators[2] = {evaluator->clone(), evaluator->clone()};

  OpenTree(const ThinkerSettings& settings, const Game& game) : tree(settings, game.rules(), false) { tree.begin(game); }
  void search(std::int64_t simulations) {
    tree.judge_root(*evaluator);
    while (tree.simulations() < simulations && !tree.proven()) tree.step(simulations - tree.simulations(), workers);
  }
};

// Everything that a search of one leaf after another would have left in a node.
template <class N>
void expect_sound_node(const ThinkTreeOf<N>& tree, std::uint32_t index) {
  const N& node = tree.node(index);
  EXPECT_EQ(node.flags & kNodeSaved, 0);
  if (node.visits == 0) {
    EXPECT_NE(node.flags & kNodeProven, 0);
    return;
  }
  std::uint32_t sum = 1;
  for (int e = 0; e < N::kEdges; ++e) {
    if (((node.legal >> e) & 1) == 0) continue;
    const std::uint32_t visits = node.edge_visits[e];
    sum += visits;
    const bool proven = (node.proven_edges >> e) & 1;
    const float urgency = static_cast<float>(node.prior[e]) * kPriorUnit * (1.0f / static_cast<float>(visits + 1));
    EXPECT_EQ(node.edge_urgency[e], proven ? 0.0f : visits == 0 ? -urgency : urgency);
    const std::uint32_t child = node.child_index(e);
    if (child == 0) continue;
    const N& below = tree.node(child);
    EXPECT_EQ(below.parent, index);
    EXPECT_EQ(below.parent_edge, e);
    const float value = is_north(below.position.mover) == is_north(node.position.mover) ? below.value : -below.value;
    EXPECT_EQ(proven, (below.flags & kNodeProven) != 0);
    EXPECT_EQ(node.edge_value[e], value);
    if (!proven) {
      EXPECT_EQ(below.visits, visits);
    }
  }
  EXPECT_EQ(node.visits, sum);
  N chosen = node;
  store_best_edge<PlainKernel>(tree.parameters(), chosen);
  EXPECT_EQ(node.best_edge, chosen.best_edge);
  EXPECT_EQ(node.best_child, node.child[node.best_edge]);
}

// The nodes are the positions of the games that lead to them, with their ends.
template <class N>
void expect_sound_tree(const ThinkTreeOf<N>& tree, const Game& game) {
  for (std::uint32_t index = 0; index < tree.nodes(); ++index) {
    expect_sound_node(tree, index);
    std::vector<int> path;
    for (std::uint32_t at = index; at != 0; at = tree.node(at).parent) path.push_back(tree.node(at).parent_edge);
    Game line = game;
    for (auto action = path.rbegin(); action != path.rend(); ++action) line.play(*action);
    const N& node = tree.node(index);
    EXPECT_TRUE(node.position == line.position());
    EXPECT_EQ(node.quiet_plies, line.quiet_plies());
    EXPECT_EQ(node.end, static_cast<std::uint8_t>(line.end()));
    if (!line.is_over()) {
      EXPECT_EQ(node.legal, line.legal());
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "node " << index << " of " << rules_name(game.rules());
      return;
    }
  }
}

template <class N>
void search_and_go_on(const Game& start) {
  Game game = start;
  OpenTree<N> open(many_at_once(), game);
  for (int move = 0; move < 3 && !game.is_over(); ++move) {
    open.search(open.tree.nodes() + 700);
    expect_sound_tree(open.tree, game);
    if (testing::Test::HasFailure()) return;
    const RootResult result = open.tree.result(0);
    const N root = open.tree.node(0);
    const N below = open.tree.node(root.child_index(result.best));
    game.play(result.best);
    const std::uint8_t played[] = {static_cast<std::uint8_t>(result.best)};
    if (game.is_over()) return;
    if (below.visits == 0) return;  // never looked at, or proven when it was made
    ASSERT_TRUE(open.tree.follow(game, played));
    open.tree.judge_root(*open.evaluator);
    // What was known is known still; only its priors are a root's now.
    const N kept = open.tree.node(0);
    EXPECT_EQ(kept.visits, below.visits);
    EXPECT_EQ(kept.proven_edges, below.proven_edges);
    const OneSearch<N> fresh(one_at_a_time().search, game, 1, *open.evaluator);
    for (int e = 0; e < N::kEdges; ++e) {
      if (((kept.legal >> e) & 1) == 0) continue;
      EXPECT_EQ(kept.edge_visits[e], below.edge_visits[e]);
      EXPECT_EQ(kept.edge_value[e], below.edge_value[e]);
      EXPECT_EQ(kept.prior[e], fresh.root().prior[e]);
    }
    expect_sound_tree(open.tree, game);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ThinkTree, VisitsInFlightLeaveNoTraceAndTreesAreCarriedOnWhole) {
  for (const Game& game : many_games(shared_out(60))) {
    if (game.rules().action_count() > kPits) {
      search_and_go_on<WideNode12>(game);
    } else {
      search_and_go_on<WideNode6>(game);
    }
    if (HasFailure()) return;
  }
}

TEST(ThinkTree, ABatchHasAlmostOnlyLeavesOfItsOwn) {
  ThinkerSettings settings = many_at_once();
  settings.visits_a_leaf = 16;
  OpenTree<WideNode6> open(settings, Game{Rules{}});
  open.search(20000);
  const std::int64_t nodes = open.tree.nodes();
  open.search(20000 + 256);
  EXPECT_GE(open.tree.nodes() - nodes, 200);
}

}  // namespace
}  // namespace wari
