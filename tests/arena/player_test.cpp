#include "arena/player.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <set>

#include "arena/match.h"
#include "core/error.h"
#include "core/notation.h"
#include "search/alphabeta.h"

namespace wari {
namespace {

std::string message_of(std::string_view player, const PlayerEnvironment& environment = {}) {
  try {
    make_player(player, environment);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Prefers one action in every position; NaN for what it does not know.
class OneIdeaEvaluator final : public Evaluator {
 public:
  explicit OneIdeaEvaluator(int action) : action_(action) {}
  bool needs_tokens() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    EXPECT_NE(batch.board_tokens, nullptr);
    for (int row = 0; row < batch.rows; ++row) {
      float* output = outputs + row * kOutputs;
      for (int i = 0; i < kOutputs; ++i) output[i] = i == action_ ? 2.0f : i < kActions ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
    }
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<OneIdeaEvaluator>(action_); }

 private:
  int action_;
};

TEST(Players, ADescriptionIsTakenApart) {
  const PlayerDescription player = parse_player("search:checkpoint=runs/a@best,visits=64,c_puct=0.7");
  EXPECT_EQ(player.kind, "search");
  EXPECT_EQ(player.options.at("checkpoint"), "runs/a@best");
  EXPECT_EQ(player.options.at("visits"), "64");
  EXPECT_EQ(player.options.at("c_puct"), "0.7");
  EXPECT_TRUE(parse_player("random").options.empty());
}

TEST(Players, UnknownWordsNameTheNearest) {
  EXPECT_NE(message_of("randon").find("'random'"), std::string::npos);
  EXPECT_NE(message_of("alfabeta:depth=4").find("'alphabeta'"), std::string::npos);
  EXPECT_NE(message_of("alphabeta:dept=4").find("'depth'"), std::string::npos);
  EXPECT_NE(message_of("").find("''"), std::string::npos);
}

TEST(Players, BadValuesAreRefused) {
  for (const char* player : {"alphabeta:depth=0", "alphabeta:depth=101", "alphabeta:depth=", "alphabeta:depth", "alphabeta:depth=4x",
                             "alphabeta:depth=4,depth=6", "alphabeta:depth=99999999999", "rollouts:visits=0", "rollouts:visits=-5",
                             "rollouts:visits=16,c_puct=nan", "random:depth=4", "search:visits=64", "search:checkpoint=a,visits=64,algorithm=uct", "policy"}) {
    EXPECT_NE(message_of(player), "") << player;
  }
}

TEST(Players, ACheckpointIsReadByTheProgram) {
  EXPECT_NE(message_of("search:checkpoint=a,visits=4").find("checkpoint"), std::string::npos);
  PlayerEnvironment environment;
  std::vector<std::string> asked;
  environment.load_evaluator = [&](const std::filesystem::path& path, const std::string& precision) {
    asked.push_back(path.string() + " " + precision);
    return make_hash_evaluator();
  };
  EXPECT_EQ(make_player("search:checkpoint=runs/a,visits=4", environment)->name(), "search:checkpoint=runs/a,visits=4");
  make_player("policy:checkpoint=runs/b,precision=float32", environment);
  EXPECT_EQ(asked, (std::vector<std::string>{"runs/a auto", "runs/b float32"}));
}

TEST(Players, EveryPlayerPlaysEveryRuleSet) {
  PlayerEnvironment environment;
  environment.workers = 2;
  environment.lanes = 8;
  environment.load_evaluator = [](const std::filesystem::path&, const std::string&) { return make_hash_evaluator(); };
  for (const char* text : {"greedy", "alphabeta:depth=2", "rollouts:visits=8", "search:checkpoint=x,visits=8", "search:checkpoint=x,visits=8,algorithm=gumbel",
                           "policy:checkpoint=x"}) {
    for (const auto& [name, rules] : rule_presets()) {
      MatchSettings settings;
      settings.rules = rules;
      settings.games = 4;
      const auto player = make_player(text, environment), random = make_random_player();
      EXPECT_EQ(play_match(settings, *player, *random).total.games(), 4) << text << ' ' << name;  // Game::play() throws if a move is illegal
    }
  }
}

TEST(Players, GreedyTakesTheMostAndDrawsAmongEquals) {
  const Rules rules;
  // C and D capture: two seeds, and four.
  const Game game(rules, parse_position("0-0-4-4-0-1-1-1-5-5-5-5-10-7-S", rules));
  const auto greedy = make_greedy_player();
  std::set<int> chosen;
  for (std::uint64_t key = 0; key < 50; ++key) {
    const Game* games[] = {&game};
    chosen.insert(greedy->choose(games, {&key, 1}).front());
  }
  int most = 0;
  std::set<int> best;
  for (int action = 0; action < kPits; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    const int captured = play(sowing_tables(), rules, game.position(), action).captured;
    if (captured > most) best.clear();
    if (captured >= most) best.insert(action);
    most = std::max(most, captured);
  }
  EXPECT_GT(most, 0);
  EXPECT_EQ(chosen, best);
}

TEST(Players, AlphaBetaDrawsAmongTheBestMovesOnly) {
  const Rules rules;
  const Game game(rules);
  const auto player = make_alphabeta_player(10, 1);
  const AlphaBetaResult expected = AlphaBeta().search(game, 10);
  ASSERT_GT(expected.best.size(), 1u);
  std::set<int> chosen;
  for (std::uint64_t key = 0; key < 60; ++key) {
    const Game* games[] = {&game};
    chosen.insert(player->choose(games, {&key, 1}).front());
  }
  EXPECT_EQ(chosen, std::set<int>(expected.best.begin(), expected.best.end()));
}

// Neither noise nor temperature: the key, which stands for game and ply, changes nothing in a tree search.
TEST(Players, SearchIsWithoutNoise) {
  const Rules rules;
  Game game(rules);
  play_line(game, "FfEb");
  SearchPlayerSettings settings;
  settings.visits = 50;
  settings.search.gumbel_noise = 1;
  settings.search.dirichlet_share = 0.5;
  for (Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
    settings.search.algorithm = algorithm;
    const auto player = make_search_player("hash", settings, *make_hash_evaluator());
    std::set<int> chosen;
    for (std::uint64_t key = 0; key < 40; ++key) {
      const Game* games[] = {&game};
      chosen.insert(player->choose(games, {&key, 1}).front());
    }
    EXPECT_EQ(chosen.size(), 1u);
  }
}

TEST(Players, PolicyPlaysTheHighestLegalPriorAndIgnoresNumbersThatAreNone) {
  const Rules rules;
  Game start(rules), other(rules, parse_position("4-4-0-4-4-4-4-4-4-4-4-4-2-2-S", rules));
  const auto player = make_policy_player("idea", std::make_unique<OneIdeaEvaluator>(2));
  std::vector<const Game*> games(300, &start);
  games.push_back(&other);
  const std::vector<std::uint64_t> keys(games.size(), 0);
  const std::vector<int> actions = player->choose(games, keys);
  ASSERT_EQ(actions.size(), 301u);
  EXPECT_EQ(actions.front(), 2);
  EXPECT_EQ(actions[299], 2);
  EXPECT_EQ(actions.back(), 0);  // C is empty
}

}  // namespace
}  // namespace wari
