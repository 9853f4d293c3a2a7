#include "search/thinker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "core/error.h"
#include "core/notation.h"
#include "search/hash_row.h"
#include "tests/endgame/small_tables.h"
#include "tests/search/one_search.h"
#include "tests/search/thoughts.h"

namespace wari {
namespace {

TEST(Thinker, ABatchOfOneIsTheSearchOfOneLeafAfterAnother) {
  for (const double share : {0.0, 0.6}) {
    ThinkerSettings settings = one_at_a_time();
    settings.search.root_uniform_share = share;
    BatchSearchSettings batch;
    batch.search = settings.search;
    const auto evaluator = make_hash_evaluator(5);
    const auto sequential = make_cpu_batch_search(batch, *evaluator);
    int number = 0;
    for (const Game& game : many_games(shared_out(60))) {
      const RootRequest request = request_of(game, 1 + 37 * (++number % 30));
      expect_equal(think_once(settings, game, request.simulations, *evaluator).root, sequential->search({&request, 1}).front());
    }
  }
}

TEST(Thinker, ThoughtsDoNotDependOnTheNumberOfWorkers) {
  const auto evaluator = make_hash_evaluator(6);
  for (const Game& game : many_games(shared_out(25))) {
    const Thought alone = think_once(many_at_once(1), game, 6000, *evaluator);
    for (const int workers : {2, 4}) {
      const Thought together = think_once(many_at_once(workers), game, 6000, *evaluator);
      expect_equal(alone.root, together.root);
      EXPECT_EQ(alone.nodes, together.nodes);
    }
  }
}

TEST(Thinker, EveryVisitCountsOnce) {
  for (const double loss : {0.0, 0.5, 2.0}) {
    ThinkerSettings settings = many_at_once();
    settings.virtual_loss = loss;
    int number = 0;
    for (const Game& game : many_games(shared_out(60))) {
      const int wanted = 1 + 211 * (++number % 20);
      const Thought thought = think_once(settings, game, wanted, *make_hash_evaluator(7));
      EXPECT_EQ(visits_of(thought.root), wanted);
      if (thought.root.proven) continue;
      EXPECT_EQ(thought.simulations, wanted);
      EXPECT_EQ(thought.root.simulations, wanted);
    }
  }
}

TEST(Thinker, ATreeIsKeptWhileItsGameGoesOn) {
  const auto evaluator = make_hash_evaluator(9);
  const auto thinker = make_thinker(many_at_once(2), *evaluator);
  Game game{Rules{}};
  thinker->set_game(game);
  EXPECT_EQ(thinker->known().best, -1);
  const Thought first = thinker->think(visits(3000));
  const Thought again = thinker->think(visits(3000));  // there is nothing left to do
  EXPECT_EQ(again.simulations, 0);
  expect_equal(again.root, first.root);
  game.play(first.root.line[0]);
  game.play(first.root.line[1]);
  thinker->set_game(game);
  const KnownMove known = thinker->known();
  const Thought next = thinker->think(visits(1));
  EXPECT_EQ(known.best, next.root.best) << "before the root was judged anew";
  EXPECT_EQ(known.visits, next.root.simulations);
  EXPECT_NEAR(known.margin, next.root.margin, 0.01);
  EXPECT_EQ(thinker->known().best, next.root.best);
  EXPECT_EQ(thinker->known().visits, next.root.simulations);
  EXPECT_EQ(next.simulations, 0);
  EXPECT_GT(next.root.simulations, 50);
  EXPECT_EQ(visits_of(next.root), next.root.simulations);
  EXPECT_EQ(next.root.line, std::vector<int>(first.root.line.begin() + 2, first.root.line.end()));
  EXPECT_NEAR(next.root.wdl[0] + next.root.wdl[1] + next.root.wdl[2], 1.0, 1e-5);
  // Another game, or one taken back, is a new tree.
  Game before = game;
  before.take_back();
  for (const Game& other : {before, Game(Rules{}, game.position()), Game(parse_rules("warri,capture=optional"))}) {
    thinker->set_game(other);
    const Thought fresh = thinker->think(visits(500));
    EXPECT_EQ(fresh.simulations, 500);
    expect_equal(fresh.root, think_once(many_at_once(), other, 500, *evaluator).root);
  }
  thinker->forget();
  EXPECT_EQ(thinker->think(visits(500)).simulations, 500);
}

TEST(Thinker, AFullTreeDropsWhatWasVisitedLeastAndGoesOn) {
  for (const std::int64_t nodes : {1, 16, 64, 1000, 4000}) {
    ThinkerSettings settings = many_at_once();
    settings.nodes_max = nodes;
    const int wanted = shared_out(100000);
    const Thought thought = think_once(settings, Game{Rules{}}, wanted, *make_hash_evaluator(10));
    EXPECT_EQ(visits_of(thought.root), wanted);
    EXPECT_EQ(thought.simulations, wanted);
    EXPECT_LE(thought.nodes, std::max<std::int64_t>(nodes, 16));
    EXPECT_GT(thought.full, 0.0);
    EXPECT_LE(thought.full, 1.0);
  }
  // The moves are still worth what a tree with room for all finds.
  ThinkerSettings settings = many_at_once();
  const Game game(Rules{}, parse_position("1-0-2-0-3-1-4-0-1-2-0-0-17-17-S", Rules{}));
  const Thought roomy = think_once(settings, game, 30000, *make_rollout_evaluator(10));
  settings.nodes_max = 8000;
  const Thought full = think_once(settings, game, 30000, *make_rollout_evaluator(10));
  EXPECT_EQ(full.root.best, roomy.root.best);
  EXPECT_NEAR(full.root.value, roomy.root.value, 0.1);
}

TEST(Thinker, AFullTreeIsCarriedOnToo) {
  ThinkerSettings settings = many_at_once(2);
  settings.nodes_max = 2000;
  const auto thinker = make_thinker(settings, *make_hash_evaluator(11));
  Game game{Rules{}};
  while (!game.is_over() && game.plies() < shared_out(60)) {
    thinker->set_game(game);
    const Thought thought = thinker->think(visits(6000));
    ASSERT_GE(thought.root.best, 0);
    EXPECT_EQ(visits_of(thought.root), std::max(6000, thought.root.simulations));
    game.play(thought.root.best);
  }
}

TEST(Thinker, AWinInOneEndsTheSearch) {
  for (const char* text : {"1-0-0-0-0-1-1-0-0-0-0-1-23-21-S", "1-0-0-0-0-1-1-0-0-0-0-1-21-23-N"}) {
    const Game game(Rules{}, parse_position(text, Rules{}));
    const auto thinker = make_thinker(many_at_once(), *make_uniform_evaluator());
    thinker->set_game(game);
    const Thought thought = thinker->think({});  // without a limit
    EXPECT_EQ(thought.root.best, 5);
    EXPECT_EQ(thought.root.value, 1.0f);
    EXPECT_TRUE(thought.root.proven);
    EXPECT_LE(thought.simulations, 4);
    // Solved already: every limit is met at once.
    EXPECT_EQ(thinker->think({{}, {}, 100}).root.best, 5);
    EXPECT_EQ(visits_of(thinker->think(visits(77)).root), 77);
  }
}

// Games to the end with a tree carried on: a proven win is not given away (each move of it is taken from the tree that proved it).
TEST(Thinker, AProvenResultIsReached) {
  const auto thinker = make_thinker(many_at_once(2), *make_hash_evaluator(12));
  for (std::uint64_t number = 0; number < static_cast<std::uint64_t>(shared_out(20)); ++number) {
    const Rules rules = parse_rules(number % 2 == 0 ? "abapa" : "warri");
    Game game(rules, random_position(rules, 70000 + number));
    float promised = -2;  // South's
    while (!game.is_over()) {
      thinker->set_game(game);
      const Thought thought = thinker->think(visits(4000));
      const float value = north_moves(game.position()) ? -thought.root.value : thought.root.value;
      if (promised > -2) {
        EXPECT_EQ(value, promised);
      }
      if (thought.root.proven) promised = value;
      game.play(thought.root.best);
    }
    const FinalStores stores = game.final_stores();
    const int difference = (stores.mover_half_seeds - stores.opponent_half_seeds) * (north_moves(game.position()) ? -1 : 1);
    if (promised > -2) {
      EXPECT_EQ(promised, difference > 0 ? 1.0f : difference < 0 ? -1.0f : 0.0f);
    }
  }
}

TEST(Thinker, TablesAreLookedUp) {
  const Rules rules = parse_rules("abapa");
  ThinkerSettings settings = one_at_a_time();
  settings.tables = small_tables(rules, 6);
  BatchSearchSettings batch;
  batch.search = settings.search;
  batch.tables = settings.tables;
  const auto evaluator = make_hash_evaluator(13);
  int proven = 0;
  for (std::uint64_t number = 0; number < static_cast<std::uint64_t>(std::max(40, shared_out(120))); ++number) {
    const Game game(rules, random_position(rules, 1000 + number));
    if (game.is_over()) continue;
    for (const TableSearch table_search : {TableSearch::all, TableSearch::proven, TableSearch::none}) {
      settings.table_search = batch.table_search = table_search;
      const RootRequest request = request_of(game, 300);
      const RootResult expected = make_cpu_batch_search(batch, *evaluator)->search({&request, 1}).front();
      expect_equal(think_once(settings, game, 300, *evaluator).root, expected);
      ThinkerSettings many = many_at_once(2);
      many.tables = settings.tables;
      many.table_search = table_search;
      const RootResult result = think_once(many, game, 300, *evaluator).root;
      if (expected.proven && result.proven) {
        EXPECT_EQ(result.value, expected.value);
      }
      proven += result.proven ? 1 : 0;
    }
  }
  EXPECT_GT(proven, 3);
}

TEST(Thinker, LimitsEndTheSearch) {
  using namespace std::chrono_literals;
  const auto thinker = make_thinker(many_at_once(2), *make_hash_evaluator(14));
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  EXPECT_GE(thinker->think({{}, start + 200ms, {}}).root.best, 0);  // no position was given: the start
  EXPECT_GE(now() - start, 80ms);
  EXPECT_LT(now() - start, 2000ms);
  thinker->forget();
  EXPECT_EQ(thinker->think({1'000'000, now() - 1s, {}}).simulations, 0);  // late already: a legal move all the same
  EXPECT_GE(thinker->think({1'000'000, now() - 1s, {}}).root.best, 0);
  EXPECT_GE(thinker->think(visits(0)).root.best, 0);
  const Thought deep = thinker->think({{}, {}, 7});
  EXPECT_GE(deep.depth, 7);
  int calls = 0;
  std::int64_t seen = 0;
  const Thought stopped = thinker->think({}, [&](const Thought& thought) {
    EXPECT_GE(thought.root.best, 0);
    EXPECT_GE(thought.root.simulations, seen);
    seen = thought.root.simulations;
    return ++calls < 3;
  });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(stopped.root.simulations, seen);
  EXPECT_GE(stopped.seconds, 0.04);
}

// `go depth` where the game is nearly over: the line cannot grow, and the search ends.
TEST(Thinker, ADepthThatTheGameDoesNotHaveEndsTheSearch) {
  for (const char* text : {"1-0-0-0-0-0-0-0-0-0-0-1-23-23-S", "0-0-0-0-0-1-1-0-0-0-0-0-23-23-S", "2-0-1-0-0-1-1-0-3-0-0-0-20-20-S"}) {
    const auto thinker = make_thinker(many_at_once(), *make_hash_evaluator(15));
    thinker->set_game(Game(Rules{}, parse_position(text, Rules{})));
    EXPECT_GE(thinker->think({{}, {}, 1000}).root.best, 0);
  }
}

TEST(Thinker, AFinishedGameHasAValueAndNoMove) {
  const auto thinker = make_thinker(many_at_once(), *make_hash_evaluator());
  for (const auto& [text, value] : {std::pair{"0-0-0-0-0-1-1-0-0-0-0-1-25-20-S", 1.0f}, std::pair{"0-0-0-0-0-1-1-0-0-0-0-1-25-20-N", -1.0f},
                                    std::pair{"1-1-0-0-0-0-0-0-0-0-0-0-22-24-S", 0.0f}}) {
    thinker->set_game(Game(Rules{}, parse_position(text, Rules{})));
    const Thought thought = thinker->think({});
    EXPECT_EQ(thought.root.best, -1);
    EXPECT_EQ(thought.root.value, value);
    EXPECT_TRUE(thought.root.actions.empty());
  }
}

TEST(Thinker, AForcedShuffleOfManyVisitsEnds) {
  for (const char* name : {"abapa", "abapa,repetition.occurrences=0", "abapa,repetition.occurrences=10,quiet_plies=10000"}) {
    const Rules rules = parse_rules(name);
    const Game game(rules, parse_position("1-0-0-0-0-0-0-0-0-0-0-1-23-23-S", rules));
    EXPECT_EQ(visits_of(think_once(many_at_once(), game, 100000, *make_hash_evaluator()).root), 100000);
  }
}

// After a judge that failed the next search is as good as a first one.
TEST(Thinker, AnEvaluatorThatFailsLeavesAThinkerThatWorks) {
  std::atomic<int> left = 900;
  const FunctionEvaluator failing([&](const EvaluationBatch& batch, int row, float* outputs) {
    if (left-- == 0) throw std::runtime_error("no judge");
    hash_row(0, batch.positions[row], outputs);
  });
  const auto thinker = make_thinker(many_at_once(2), failing);
  thinker->set_game(Game{Rules{}});
  EXPECT_THROW(thinker->think(visits(2000)), std::runtime_error);
  expect_equal(thinker->think(visits(2000)).root, think_once(many_at_once(), Game{Rules{}}, 2000, *make_hash_evaluator()).root);
}

TEST(Thinker, SettingsThatMakeNoSenseAreRefused) {
  ThinkerSettings settings = many_at_once();
  settings.search.algorithm = Algorithm::gumbel;
  EXPECT_THROW(make_thinker(settings, *make_hash_evaluator()), Error);
  EXPECT_THROW(make_thinker(many_at_once(0), *make_hash_evaluator()), Error);
}

}  // namespace
}  // namespace wari
