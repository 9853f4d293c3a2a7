#include "search/thinker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "core/notation.h"
#include "search/hash_row.h"
#include "search/think_tree.h"
#include "tests/endgame/small_tables.h"
#include "tests/search/one_search.h"
#include "tests/search/search_requests.h"

namespace wari {
namespace {

ThinkerSettings one_at_a_time() {
  ThinkerSettings settings;
  settings.search.algorithm = Algorithm::puct;
  settings.batch = 1;
  return settings;
}

ThinkerSettings many_at_once(int workers = 1) {
  ThinkerSettings settings = one_at_a_time();
  settings.batch = 0;
  settings.workers = workers;
  settings.visits_a_leaf = 4;  // large batches soon
  return settings;
}

ThinkLimits visits(std::int64_t count) { return {count, {}, {}}; }

Thought think_once(const ThinkerSettings& settings, const Game& game, std::int64_t count, const Evaluator& evaluator) {
  const auto thinker = make_thinker(settings, evaluator);
  thinker->set_game(game);
  return thinker->think(visits(count));
}

int visits_of(const RootResult& result) {
  int sum = 0;
  for (const RootAction& action : result.actions) sum += action.visits;
  return sum;
}

// Positions of all rule sets, most of them with a game behind them, so that repetition and quiet plies matter.
std::vector<Game> many_games(int count) {
  std::vector<Game> games;
  const std::vector<Rules> sets = many_rule_sets(10);
  for (std::uint64_t number = 0; static_cast<int>(games.size()) < count; ++number) {
    Game game(sets[number % sets.size()], random_position(sets[number % sets.size()], 90000 + number));
    for (std::uint32_t ply = 0; ply < number % 40 && !game.is_over(); ++ply) {
      int action = static_cast<int>(test_draw(number, 100 + ply, kActions));
      while (((game.legal() >> action) & 1) == 0) action = (action + 1) % kActions;
      game.play(action);
    }
    if (game.is_over()) continue;
    games.push_back(game);
  }
  return games;
}

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

TEST(Thinker, VisitsInFlightLeaveNoTraceAndTreesAreCarriedOnWhole) {
  for (const Game& game : many_games(shared_out(60))) {
    if (game.rules().action_count() > kPits) {
      search_and_go_on<WideNode12>(game);
    } else {
      search_and_go_on<WideNode6>(game);
    }
    if (HasFailure()) return;
  }
}

TEST(Thinker, ABatchHasAlmostOnlyLeavesOfItsOwn) {
  ThinkerSettings settings = many_at_once();
  settings.visits_a_leaf = 16;
  OpenTree<WideNode6> open(settings, Game{Rules{}});
  open.search(20000);
  const std::int64_t nodes = open.tree.nodes();
  open.search(20000 + 256);
  EXPECT_GE(open.tree.nodes() - nodes, 200);
}

TEST(Thinker, ATreeIsKeptWhileItsGameGoesOn) {
  const auto evaluator = make_hash_evaluator(9);
  const auto thinker = make_thinker(many_at_once(2), *evaluator);
  Game game{Rules{}};
  thinker->set_game(game);
  const Thought first = thinker->think(visits(3000));
  const Thought again = thinker->think(visits(3000));  // there is nothing left to do
  EXPECT_EQ(again.simulations, 0);
  expect_equal(again.root, first.root);
  game.play(first.root.line[0]);
  game.play(first.root.line[1]);
  thinker->set_game(game);
  const Thought next = thinker->think(visits(1));
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
  for (const auto& [text, value] : {std::pair{"0-0-0-0-0-1-1-0-0-0-0-1-25-20-S", 1.0f}, std::pair{"0-0-0-0-0-1-1-0-0-0-0-1-25-20-N", -1.0f}, std::pair{"1-1-0-0-0-0-0-0-0-0-0-0-22-24-S", 0.0f}}) {
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
