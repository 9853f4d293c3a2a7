#include <gtest/gtest.h>

#include <cmath>

#include "core/notation.h"
#include "tests/core/rule_mixes.h"
#include "tests/search/one_search.h"
#include "tests/search/reference_search.h"

namespace wari {
namespace {

// Policy and value that depend on nothing: what is expected can be computed by hand.
void fixed_outputs(const EvaluationBatch&, int, float* outputs) {
  const float logits[6] = {std::log(0.4f), std::log(0.2f), std::log(0.15f), std::log(0.12f), std::log(0.08f), std::log(0.05f)};
  for (int i = 0; i < kOutputs; ++i) outputs[i] = i < 6 ? logits[i] : 0.0f;
  outputs[kWdlOutput] = std::log(0.5f);      // win
  outputs[kWdlOutput + 1] = std::log(0.3f);  // draw
  outputs[kWdlOutput + 2] = std::log(0.2f);  // loss: value 0.3 for whoever moves
}

TEST(Tree, FirstSimulationsFollowTheFormulaByHand) {
  SearchSettings settings;
  settings.algorithm = Algorithm::puct;
  settings.c_puct = 1.0;
  settings.fpu_reduction = 0.2;
  FunctionEvaluator evaluator(fixed_outputs);
  const Game game(Rules{});
  // Root: N = 1, value 0.3, first play 0.1. Scores 0.1 + P sqrt(1): A first. Its value for the root's mover is -0.3.
  const OneSearch<NarrowNode6> one(settings, game, 1, evaluator);
  EXPECT_EQ(one.root().edge_visits[0], 1);
  EXPECT_NEAR(one.root().edge_value[0], -0.3f, 1e-6);
  EXPECT_NEAR(one.root().value, 0.0f, 1e-6);  // (0.3 - 0.3) / 2
  // N = 2, first play -0.2: A -0.3 + 0.4 / 2 sqrt(2) = -0.017; B -0.2 + 0.2 sqrt(2) = 0.083; C 0.012: B.
  const OneSearch<NarrowNode6> two(settings, game, 2, evaluator);
  EXPECT_EQ(two.root().edge_visits[1], 1);
  EXPECT_NEAR(two.root().value, -0.1f, 1e-6);
  // N = 3, first play -0.3: A -0.3 + 0.2 sqrt(3) = 0.046; B -0.3 + 0.1 sqrt(3) = -0.127; C -0.3 + 0.15 sqrt(3) = -0.040: A again, and below A its own A.
  const OneSearch<NarrowNode6> three(settings, game, 3, evaluator);
  EXPECT_EQ(three.root().edge_visits[0], 2);
  EXPECT_NEAR(three.root().edge_value[0], 0.0f, 1e-6);  // (-0.3 + 0.3) / 2
  EXPECT_NEAR(three.root().edge_urgency[0], 0.4f / 3, 1e-5);
  EXPECT_EQ(three.node(3).parent, 1);
  EXPECT_EQ(three.node(3).parent_edge, 0);
  EXPECT_NEAR(three.root().value, 0.0f, 1e-6);  // (0.3 - 0.3 - 0.3 + 0.3) / 4
}

// True if the lanes' search went where the book search goes. Sums in float and in double can part at a tie, rarely.
template <class N>
bool equals_reference(const SearchSettings& settings, const Game& game, int simulations, std::uint64_t seed) {
  const auto evaluator = make_hash_evaluator(seed);
  const OneSearch<N> search(settings, game, simulations, *evaluator);
  ReferenceSearch reference(settings, game, *evaluator);
  const std::vector<int> visits = reference.run(simulations);
  if (search.lane().simulations != reference.done() || ((search.root().flags & kNodeProven) != 0) != reference.root().proven) return false;
  for (const ReferenceSearch::Edge& edge : reference.root().edges) {
    const auto action = static_cast<std::size_t>(edge.action);
    if (static_cast<int>(search.root().edge_visits[action]) != visits[action]) return false;
    if (((search.root().proven_edges >> action) & 1) != (edge.proven ? 1 : 0)) return false;
    if (edge.visits > 0 && std::fabs(search.root().edge_value[action] - edge.q()) > 1e-4) return false;
  }
  return true;
}

class TreeAgainstReference : public testing::TestWithParam<Algorithm> {};

TEST_P(TreeAgainstReference, VisitsAreThoseOfTheBookSearch) {
  SearchSettings settings;
  settings.algorithm = GetParam();
  settings.gumbel_noise = 0;
  int searches = 0, same = 0;
  std::uint64_t number = 0;
  const std::vector<Rules> sets = many_rule_sets(60);
  for (const Rules& rules : sets) {
    for (int i = 0; i < 5; ++i) {
      const Game game(rules, random_position(rules, ++number));
      if (game.is_over()) continue;
      settings.c_puct = number % 2 == 0 ? 1.5 : 0.7;
      settings.c_puct_log_base = number % 3 == 0 ? 50.0 : 0.0;
      searches += 2;
      same += equals_reference<NarrowNode12>(settings, game, 200, number) ? 1 : 0;
      if (rules.capture == Capture::optional) {
        same += equals_reference<WideNode12>(settings, game, 64, number) ? 1 : 0;
      } else {
        same += equals_reference<NarrowNode6>(settings, game, 64, number) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(searches, 5 * static_cast<int>(sets.size()));  // most of ten a rule set: few random positions are over
  EXPECT_GE(same, searches - searches / 50);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, TreeAgainstReference, testing::Values(Algorithm::puct, Algorithm::gumbel));

template <class A, class B>
void expect_same_trees(const A& a, const B& b) {
  ASSERT_EQ(a.node_count(), b.node_count());
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.node_count()); ++i) {
    const auto& x = a.node(i);
    const auto& y = b.node(i);
    ASSERT_EQ(x.position, y.position);
    ASSERT_EQ(x.visits, y.visits);
    ASSERT_EQ(x.flags, y.flags);
    ASSERT_EQ(bits_of_float(x.value), bits_of_float(y.value));
    ASSERT_EQ(x.best_edge, y.best_edge);
    for (int e = 0; e < 6; ++e) {
      if (x.visits == 0 || ((x.legal >> e) & 1) == 0) continue;
      ASSERT_EQ(x.edge_visits[e], y.edge_visits[e]);
      ASSERT_EQ(bits_of_float(x.edge_value[e]), bits_of_float(y.edge_value[e]));
      ASSERT_EQ(x.prior[e], y.prior[e]);
    }
  }
}

TEST(Tree, LayoutsAndKernelsGiveTheSameTree) {
  for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
    SearchSettings settings;
    settings.algorithm = algorithm;
    const auto evaluator = make_hash_evaluator(3);
    const Game game(parse_rules("warri"));
    const OneSearch<NarrowNode6> narrow(settings, game, 500, *evaluator, true, 77);
    expect_same_trees(narrow, OneSearch<NarrowNode6, PlainExecutor>(settings, game, 500, *evaluator, true, 77));
    expect_same_trees(narrow, OneSearch<NarrowNode12>(settings, game, 500, *evaluator, true, 77));
    expect_same_trees(narrow, OneSearch<WideNode6>(settings, game, 500, *evaluator, true, 77));
    expect_same_trees(narrow, OneSearch<WideNode12>(settings, game, 500, *evaluator, true, 77));
  }
}

// Everything that must hold in any tree: counts add up at every node, illegal edges stay untouched, priors below the root are the evaluator's to the last unit.
template <class N>
void check_tree(const OneSearch<N>& search, Evaluator& evaluator, const Rules& rules) {
  const std::uint8_t zero = 0, one = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(search.node_count()); ++i) {
    const N& node = search.node(i);
    if ((node.flags & kNodeTerminal) != 0) continue;
    std::uint32_t sum = 0;
    for (int e = 0; e < N::kEdges; ++e) {
      const bool legal = (node.legal >> e) & 1;
      ASSERT_TRUE(legal || (node.edge_visits[e] == 0 && node.child[e] == 0 && node.prior[e] == 0));
      if (node.child[e] != 0) {
        const std::uint32_t child = node.child_index(e);
        ASSERT_EQ(search.node(child).parent, i);
        ASSERT_EQ(search.node(child).parent_edge, e);
        ASSERT_GT(child, i);
        ASSERT_EQ(node.child[e] != child, ((node.proven_edges >> e) & 1) != 0);  // marked
        ASSERT_EQ(node.child[e] != child, (search.node(child).flags & kNodeProven) != 0);
      }
      sum += node.edge_visits[e];
    }
    ASSERT_EQ(node.visits, sum + 1);
    ASSERT_TRUE(node.value >= -1.0001f && node.value <= 1.0001f);
    if (i == 0) continue;
    EvaluationBatch batch;
    batch.rows = 1;
    batch.positions = &node.position;
    batch.quiet_plies = &node.quiet_plies;
    batch.rules_index = &zero;
    batch.rules = {&rules, 1};
    batch.active = &one;
    float outputs[kOutputs], wdl[3];
    evaluator.evaluate(batch, outputs);
    N fresh = node;
    PlainKernel::open_edges(fresh, outputs, wdl);
    for (int e = 0; e < N::kEdges; ++e) ASSERT_EQ(fresh.prior[e], node.prior[e]);
  }
}

TEST(Tree, CountsAddUpAndNoiseStaysAtTheRoot) {
  std::uint64_t number = 1000;
  for (const Rules& rules : many_rule_sets(20)) {
    for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
      const Game game(rules, random_position(rules, ++number));
      if (game.is_over()) continue;
      SearchSettings settings;
      settings.algorithm = algorithm;
      const auto evaluator = make_hash_evaluator(number);
      const OneSearch<NarrowNode12> search(settings, game, 150, *evaluator, true, number);
      check_tree(search, *evaluator, rules);
      int total = 0;
      for (int e = 0; e < 12; ++e) total += search.summary().visits[e];
      EXPECT_EQ(total, 150);
    }
  }
}

TEST(Tree, RootPriorsWithNoiseSumToOneAndAreDrawnOnce) {
  SearchSettings settings;
  settings.algorithm = Algorithm::puct;
  const auto evaluator = make_hash_evaluator(1);
  const Game game(Rules{});
  const OneSearch<NarrowNode6> quiet(settings, game, 64, *evaluator), noisy(settings, game, 64, *evaluator, true, 5), longer(settings, game, 200, *evaluator, true, 5),
      other(settings, game, 64, *evaluator, true, 6);
  int sum = 0;
  bool differs = false;
  for (int e = 0; e < 6; ++e) {
    sum += noisy.root().prior[e];
    differs |= noisy.root().prior[e] != quiet.root().prior[e];
    EXPECT_EQ(noisy.root().prior[e], longer.root().prior[e]);  // not drawn again while the search goes on
    EXPECT_EQ(noisy.data().prior[e], quiet.data().prior[e]);   // what is reported and learned from is without noise
  }
  EXPECT_TRUE(differs);
  EXPECT_NEAR(sum, 65535, 6);
  EXPECT_NE(noisy.root().prior[0], other.root().prior[0]);
}

TEST(Tree, NoiseBringsVisitsToAMoveOfOnePercent) {
  SearchSettings settings;
  settings.algorithm = Algorithm::puct;
  FunctionEvaluator evaluator([](const EvaluationBatch&, int, float* outputs) {
    for (int i = 0; i < kOutputs; ++i) outputs[i] = 0;
    outputs[5] = std::log(0.01f) - std::log(0.198f);
  });
  const Game game(Rules{});
  EXPECT_EQ(OneSearch<NarrowNode6>(settings, game, 64, evaluator).root().edge_visits[5], 0);
  int visited = 0;
  for (std::uint64_t key = 0; key < 50; ++key) visited += OneSearch<NarrowNode6>(settings, game, 64, evaluator, true, key).root().edge_visits[5] > 0 ? 1 : 0;
  EXPECT_GT(visited, 10);
}

}  // namespace
}  // namespace wari
