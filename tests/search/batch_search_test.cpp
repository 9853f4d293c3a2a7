#include "search/batch_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/notation.h"
#include "tests/search/one_search.h"
#include "tests/search/search_requests.h"

namespace wari {
namespace {

RootResult search_once(const RootRequest& request, const Evaluator& evaluator, Algorithm algorithm = Algorithm::puct) {
  BatchSearchSettings settings;
  settings.search.algorithm = algorithm;
  return make_cpu_batch_search(settings, evaluator)->search({&request, 1}).front();
}

TEST(BatchSearch, AProvenPositionHasTheMarginOfItsLine) {
  const Rules rules = parse_rules("abapa");
  const Game game(rules, parse_position("0-0-0-0-0-1-1-0-0-0-0-0-23-23-S", rules));
  for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
    const RootResult result = search_once(request_of(game, 50), *make_hash_evaluator(3), algorithm);
    ASSERT_TRUE(result.proven);
    Game end = game;
    for (const int action : result.line) end.play(action);
    ASSERT_TRUE(end.is_over());
    EXPECT_FLOAT_EQ(result.margin, -2.0f);
  }
}

// The memory of the lanes is used again: what earlier, larger batches left in it must not show.
TEST(BatchSearch, FewRequestsAfterManyGiveTheSame) {
  const Rules rules = parse_rules("abapa");
  std::vector<RootRequest> requests;
  for (std::uint64_t number = 0; number < 300; ++number) requests.push_back(request_of(Game(rules, random_position(rules, number)), 4 + static_cast<int>(number % 60), number));
  const auto evaluator = make_hash_evaluator(8);
  BatchSearchSettings settings;
  settings.lanes = 64;
  const auto reused = make_cpu_batch_search(settings, *evaluator);
  for (std::size_t first = 0; first + 12 <= requests.size(); ++first) {
    reused->search(std::span(requests).subspan(first, 12));
    const std::span<const RootRequest> one = std::span(requests).subspan(first, 1);
    expect_equal(reused->search(one).front(), make_cpu_batch_search(settings, *evaluator)->search(one).front());
  }
}

TEST(BatchSearch, ResultsDependOnNeitherLanesNorWorkers) {
  const std::vector<RootRequest> requests = many_requests(150);
  const auto evaluator = make_hash_evaluator(8);
  for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
    for (const bool noise : {false, true}) {
      BatchSearchSettings settings;
      settings.search.algorithm = algorithm;
      settings.noise = noise;
      settings.lanes = 1;
      const std::vector<RootResult> alone = make_cpu_batch_search(settings, *evaluator)->search(requests);
      for (const auto& [lanes, workers] : {std::pair{7, 1}, std::pair{64, 2}, std::pair{512, 3}}) {
        settings.lanes = lanes;
        settings.workers = workers;
        const auto search = make_cpu_batch_search(settings, *evaluator);
        for (int again = 0; again < 2; ++again) {  // the second call reuses the memory of the first
          const std::vector<RootResult> results = search->search(requests);
          ASSERT_EQ(results.size(), requests.size());
          for (std::size_t i = 0; i < results.size(); ++i) expect_equal(results[i], alone[i]);
        }
      }
    }
  }
}

TEST(BatchSearch, VisitsSumToTheBudgetAndSharesToOne) {
  const std::vector<RootRequest> requests = many_requests(200);
  BatchSearchSettings settings;
  for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
    settings.search.algorithm = algorithm;
    const std::vector<RootResult> results = make_cpu_batch_search(settings, *make_hash_evaluator())->search(requests);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const RootResult& result = results[i];
      EXPECT_NEAR(result.wdl[0] + result.wdl[1] + result.wdl[2], 1.0, 1e-5);
      for (const float share : result.wdl) EXPECT_TRUE(share >= -1e-6f && share <= 1.000001f);
      const Game game(requests[i].rules, requests[i].since_capture.back());
      EXPECT_EQ(result.best < 0, game.is_over());
      if (result.best < 0) {
        EXPECT_TRUE(result.actions.empty() && result.line.empty());
        continue;
      }
      int visits = 0;
      std::uint32_t legal = 0;
      double policy = 0, prior = 0;
      for (const RootAction& action : result.actions) {
        visits += action.visits;
        policy += action.policy;
        prior += action.prior;
        legal |= 1u << action.action;
        EXPECT_TRUE(action.value >= -1.0f && action.value <= 1.0f);
      }
      EXPECT_NEAR(result.wdl[0] - result.wdl[2], result.value, 1e-5);
      EXPECT_EQ(visits, requests[i].simulations);
      EXPECT_EQ(legal, game.legal());
      EXPECT_NEAR(policy, 1.0, 1e-4);
      EXPECT_NEAR(prior, 1.0, 1e-4);
      ASSERT_FALSE(result.line.empty());
      EXPECT_EQ(result.line[0], result.best);
      Game line = game;
      for (const int action : result.line) line.play(action);  // throws if a move of the line is illegal
    }
  }
}

TEST(BatchSearch, AShareOfEqualPriorsLetsASureNetworkLookAtEveryMove) {
  const FunctionEvaluator sure([](const EvaluationBatch&, int, float* outputs) {
    std::fill_n(outputs, kOutputs, 0.0f);
    outputs[kPolicyOutput + 2] = 30.0f;
  });
  const RootRequest request = request_of(Game(Rules{}), 400);
  BatchSearchSettings settings;
  settings.search.algorithm = Algorithm::puct;
  settings.lanes = 1;
  for (const double share : {0.0, 0.1}) {
    settings.search.root_uniform_share = share;
    const RootResult result = make_cpu_batch_search(settings, sure)->search({&request, 1}).front();
    EXPECT_EQ(result.best, 2);
    for (const RootAction& action : result.actions) {
      if (action.action == 2) continue;
      EXPECT_NEAR(action.prior, 0.0f, 1e-6);  // as the network says
      EXPECT_EQ(action.visits > 0, share > 0) << action.action;
      EXPECT_LT(action.visits, 40);
    }
  }
}

TEST(BatchSearch, AWinInOneIsFoundFromBothSeats) {
  const Rules rules;
  for (const char* text : {"1-0-0-0-0-1-1-0-0-0-0-1-23-21-S", "1-0-0-0-0-1-1-0-0-0-0-1-21-23-N"}) {
    const Game game(rules, parse_position(text, rules));
    for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
      const RootResult result = search_once(request_of(game, 2 * 2), *make_uniform_evaluator(), algorithm);
      EXPECT_EQ(result.best, 5);
      EXPECT_EQ(result.value, 1.0f);
      EXPECT_TRUE(result.proven);
      EXPECT_EQ(result.wdl[0], 1.0f);
    }
  }
}

TEST(BatchSearch, ARootThatIsOverHasAValueAndNoMove) {
  const Rules rules;
  // Majority; no seed to feed with: each takes the own row, 24-24.
  const std::pair<const char*, float> positions[] = {{"0-0-0-0-0-1-1-0-0-0-0-1-25-20-S", 1.0f}, {"0-0-0-0-0-1-1-0-0-0-0-1-25-20-N", -1.0f}, {"1-1-0-0-0-0-0-0-0-0-0-0-22-24-S", 0.0f}};
  for (const auto& [text, value] : positions) {
    const RootRequest request{rules, {parse_position(text, rules)}, 10, 0};
    const RootResult result = search_once(request, *make_hash_evaluator());
    EXPECT_EQ(result.best, -1);
    EXPECT_EQ(result.value, value);
    EXPECT_TRUE(result.actions.empty());
  }
}

TEST(BatchSearch, UselessRequestsAreRefused) {
  const Game game{Rules{}};
  EXPECT_THROW(search_once(request_of(game, 0), *make_hash_evaluator()), Error);
  EXPECT_THROW(search_once({Rules{}, {}, 10, 0}, *make_hash_evaluator()), Error);
}

TEST(BatchSearch, OutputsThatAreNoNumbersStillGiveLegalMoves) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY}) {
    const FunctionEvaluator evaluator([bad](const EvaluationBatch&, int, float* outputs) { std::fill_n(outputs, kOutputs, bad); });
    for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
      const RootResult result = search_once(request_of(Game(Rules{}), 300), evaluator, algorithm);
      ASSERT_EQ(result.actions.size(), 6u);
      for (const RootAction& action : result.actions) {
        EXPECT_NEAR(action.prior, 1.0f / 6, 1e-5);
        EXPECT_TRUE(std::isfinite(action.value) && std::isfinite(action.policy));
        EXPECT_GT(action.visits, 0);
      }
      EXPECT_NEAR(result.wdl[0] + result.wdl[1] + result.wdl[2], 1.0, 1e-5);
    }
  }
}

TEST(BatchSearch, AFullTreeEndsTheSearch) {
  BatchSearchSettings settings;
  settings.search.algorithm = Algorithm::puct;
  const Game game{Rules{}};
  const RootRequest wanted = request_of(game, 999), greedy = request_of(game, 100000);
  settings.nodes_max = 1000;
  const RootResult full = make_cpu_batch_search(settings, *make_hash_evaluator())->search({&greedy, 1}).front();
  const RootResult exact = make_cpu_batch_search(settings, *make_hash_evaluator())->search({&wanted, 1}).front();
  EXPECT_LT(full.simulations, 1100);  // a simulation that ends in a terminal node needs no new one
  EXPECT_EQ(full.best, exact.best);
}

TEST(BatchSearch, AForcedShuffleOfManyVisitsEnds) {
  // Two seeds chase each other for hundreds of plies; with and without the rules that end it.
  for (const char* name : {"abapa", "abapa,repetition.occurrences=0", "abapa,repetition.occurrences=10,quiet_plies=10000"}) {
    const Rules rules = parse_rules(name);
    const Game game(rules, parse_position("1-0-0-0-0-0-0-0-0-0-0-1-23-23-S", rules));
    ASSERT_FALSE(game.is_over());
    const RootResult result = search_once(request_of(game, 100000), *make_hash_evaluator());
    EXPECT_GE(result.best, 0);
    int visits = 0;
    for (const RootAction& action : result.actions) visits += action.visits;
    EXPECT_EQ(visits, 100000);
  }
}

TEST(BatchSearch, TheGamesHistoryCountsForRepetition) {
  // Shuffle until one more ply would repeat a position; the search of the same board without history does not see an end there, with history it does.
  const Rules rules = parse_rules("abapa");
  Game game(rules, parse_position("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", rules));
  Game before = game;
  while (!game.is_over() && game.plies() < 200) {
    before = game;
    game.play(__builtin_ctz(game.legal()));
  }
  if (game.end() != End::repetition) GTEST_SKIP() << "the line ended otherwise";
  const RootResult with = search_once(request_of(before, 1), *make_uniform_evaluator());
  EXPECT_TRUE(with.actions[0].proven);
  const RootResult without = search_once({rules, {before.position()}, 1, 0}, *make_uniform_evaluator());
  EXPECT_FALSE(without.actions[0].proven);
}

TEST(BatchSearch, QuietPliesBeforeTheRootCount) {
  const Rules rules = parse_rules("abapa,quiet_plies=50,repetition.occurrences=0");
  Game game(rules, parse_position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", rules));
  std::vector<Position> history(50, game.position());  // 49 quiet plies: whatever is played without a capture ends the game
  const RootResult result = search_once({rules, history, 100, 0}, *make_uniform_evaluator());
  for (const RootAction& action : result.actions) {
    EXPECT_TRUE(action.proven);
    EXPECT_EQ(action.value, action.action < 2 ? 0.0f : -1.0f);  // A and B keep all seeds in the own row
  }
  EXPECT_EQ(result.value, 0.0f);
}

}  // namespace
}  // namespace wari
