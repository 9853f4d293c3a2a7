#include "arena/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "tests/endgame/small_tables.h"
#include "tests/search/one_search.h"

namespace wari {
namespace {

constexpr int kSeeds = 9;

const EndgameTable& table(const char* rules = "abapa") {
  static std::map<std::string, EndgameTables> tables;
  if (!tables.contains(rules)) tables[rules] = small_tables(parse_rules(rules), kSeeds);
  return *tables[rules].front();
}

TruthSettings settings_of(const char* rules = "abapa") {
  TruthSettings settings;
  settings.rules = parse_rules(rules);
  settings.seeds_low = 7;
  settings.seeds_high = kSeeds;
  settings.positions = 60;
  return settings;
}

// Plays what a function of the true values says.
class ScriptedPlayer final : public Player {
 public:
  using Choice = std::function<int(const std::vector<EndgameMove>&)>;
  ScriptedPlayer(const EndgameTable& truth, Choice choice) : truth_(truth), choice_(std::move(choice)) {}
  std::string name() const override { return "scripted"; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    std::vector<int> actions;
    for (const Game* game : games) actions.push_back(choice_(endgame_moves(truth_, game->position())));
    return actions;
  }

 private:
  const EndgameTable& truth_;
  Choice choice_;
};

bool less(const EndgameMove& a, const EndgameMove& b) { return a.seeds < b.seeds; }
int best(const std::vector<EndgameMove>& moves) { return std::max_element(moves.begin(), moves.end(), less)->action; }
int worst(const std::vector<EndgameMove>& moves) { return std::min_element(moves.begin(), moves.end(), less)->action; }

TruthReport measured(const TruthPositions& positions, const EndgameTable& truth) {
  const BudgetPlayer player = [&](int budget) -> std::unique_ptr<Player> {
    return std::make_unique<ScriptedPlayer>(truth, [budget](const std::vector<EndgameMove>& moves) { return budget == 0 ? worst(moves) : best(moves); });
  };
  const auto evaluator = make_uniform_evaluator();
  return measure_truth(positions, {0, 64}, player, *evaluator);
}

TEST(Truth, EveryPositionHangsOnTheMove) {
  for (const char* rules : {"abapa", "warri", "awale", "short"}) {
    const TruthSettings settings = settings_of(rules);
    const EndgameTable& truth = table(std::string(rules) == "short" ? "abapa" : rules);
    const TruthPositions positions = truth_positions(truth, settings);
    std::set<std::string> seen;
    int wins = 0, from_games = 0;
    for (const TruthPosition& position : positions.choices) {
      const Position& board = position.game.position();
      EXPECT_TRUE(seen.insert(std::to_string(board.mover) + " " + std::to_string(board.opponent)).second);
      const int stores = store_seeds(board.mover) - store_seeds(board.opponent);
      EXPECT_FALSE(position.game.is_over());
      EXPECT_TRUE(stores + position.best == 2 || stores + position.best == 0);
      wins += stores + position.best == 2;
      from_games += position.from_games;
      bool differ = false;
      for (const EndgameMove& move : position.moves) {
        EXPECT_TRUE(move.exact);
        EXPECT_LE(move.seeds, position.best);
        differ |= move.seeds < position.best;
        EXPECT_TRUE((position.game.legal() >> move.action) & 1);
      }
      EXPECT_TRUE(differ);
    }
    const int count = static_cast<int>(positions.choices.size());
    EXPECT_EQ(count, 3 * settings.positions) << rules;
    EXPECT_GT(wins, count / 4);
    EXPECT_LT(wins, 3 * count / 4);
    EXPECT_GT(from_games, count / 10) << rules;
    EXPECT_GT(positions.judged.size(), 50u);
  }
}

TEST(Truth, PositionsWithoutAQuestionAreTakenWhereAskedFor) {
  TruthSettings settings = settings_of();
  settings.equal_moves = true;
  int equal = 0;
  for (const TruthPosition& position : truth_positions(table(), settings).choices) {
    EXPECT_GE(position.moves.size(), 2u);
    equal += std::all_of(position.moves.begin(), position.moves.end(), [&](const EndgameMove& move) { return move.seeds == position.best; });
  }
  EXPECT_GT(equal, 20);
  EXPECT_LT(equal, 120);
}

TEST(Truth, PositionsDependOnTheSeedAlone) {
  TruthSettings settings = settings_of();
  const TruthPositions one = truth_positions(table(), settings);
  settings.workers = 2;
  const TruthPositions two = truth_positions(table(), settings);
  settings.seed = 2;
  const TruthPositions other = truth_positions(table(), settings);
  ASSERT_EQ(one.choices.size(), two.choices.size());
  int same = 0;
  for (std::size_t i = 0; i < one.choices.size(); ++i) {
    EXPECT_EQ(one.choices[i].game.position(), two.choices[i].game.position());
    same += i < other.choices.size() && one.choices[i].game.position() == other.choices[i].game.position();
  }
  EXPECT_LT(same, 30);
}

TEST(Truth, PerfectPlayLosesNothingAndTheWorstLosesAlways) {
  const TruthReport report = measured(truth_positions(table(), settings_of()), table());
  ASSERT_EQ(report.results.size(), 6u);
  for (const TruthResult& result : report.results) {
    EXPECT_EQ(result.positions, 60);
    EXPECT_EQ(result.optimal_share, result.budget == 0 ? 0.0 : 1.0);
    EXPECT_GT(result.error_95, 0.0);
    EXPECT_LT(result.error_95, 0.1);
    EXPECT_EQ(result.mean_seeds_lost > 0, result.budget == 0);
  }
  EXPECT_EQ(report.results[0].seeds, 7);
  EXPECT_EQ(report.results[5].seeds, 9);
  ASSERT_EQ(report.together.size(), 2u);
  EXPECT_EQ(report.together[1].positions, 180);
  EXPECT_THAT(truth_picture(report, "a <title>"), testing::AllOf(testing::StartsWith("<svg"), testing::HasSubstr("a &lt;title&gt;"), testing::HasSubstr("policy")));
}

TEST(Truth, ASearchWithTheTableIsPerfect) {
  const TruthPositions positions = truth_positions(table(), settings_of());
  const auto evaluator = make_hash_evaluator();
  SearchPlayerSettings search;
  search.tables = small_tables(parse_rules("abapa"), kSeeds);
  const auto share = [&](const EndgameTables& tables) {
    search.tables = tables;
    return measure_truth(positions, {60}, [&](int visits) { search.visits = visits; return make_search_player("search", search, *evaluator); }, *evaluator).together[0].optimal_share;
  };
  EXPECT_GT(share(search.tables), 0.98);
  EXPECT_LT(share({}), 0.9);
}

TEST(Truth, CalibrationIsAgainstTheTrueResult) {
  const TruthPositions positions = truth_positions(table(), settings_of());
  // An oracle: certain of what is true.
  FunctionEvaluator oracle([](const EvaluationBatch& batch, int row, float* outputs) {
    const Position& position = batch.positions[row];
    const int margin = store_seeds(position.mover) - store_seeds(position.opponent) + table().view().value(position).seeds;
    for (int i = 0; i < kOutputs; ++i) outputs[i] = 0;
    outputs[kWdlOutput + (margin > 0 ? 0 : margin == 0 ? 1 : 2)] = 20;
  });
  const BudgetPlayer player = [&](int) { return make_policy_player("policy", oracle.clone()); };
  const TruthReport report = measure_truth(positions, {0}, player, oracle);
  int judged = 0;
  for (const CalibrationBin& bin : report.calibration) {
    judged += bin.positions;
    EXPECT_NEAR(bin.predicted, bin.actual, 1e-4);  // both 0 in a bin without positions
  }
  EXPECT_EQ(judged, static_cast<int>(positions.judged.size()));
  ASSERT_EQ(report.calibration.size(), 10u);
  EXPECT_EQ(report.calibration.front().actual, -1.0);
  EXPECT_EQ(report.calibration.back().actual, 1.0);
}

TEST(Truth, RefusesATableThatDoesNotKnowTheTruth) {
  TruthSettings settings = settings_of("warri");
  EXPECT_THROW(truth_positions(table("abapa"), settings), Error);
  settings = settings_of();
  settings.seeds_high = kSeeds + 1;
  EXPECT_THROW(truth_positions(table(), settings), Error);
}

TEST(Truth, StopsWhenAsked) {
  const TruthPositions positions = truth_positions(table(), settings_of());
  const auto evaluator = make_uniform_evaluator();
  const BudgetPlayer player = [&](int) { return make_random_player(); };
  EXPECT_FALSE(measure_truth(positions, {0, 1}, player, *evaluator, [](double share) { return share < 0.4; }).complete);
}

}  // namespace
}  // namespace wari
