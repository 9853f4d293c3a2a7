#include <gtest/gtest.h>

#include <algorithm>

#include "core/notation.h"
#include "search/batch_search.h"
#include "tests/core/rule_mixes.h"

// Search against exhaustive search: on small endgames whose whole tree can be walked, a search that proves its root must prove the true result, under every named rule set.
namespace wari {
namespace {

constexpr int kPositionsMax = 2000;   // of the exhaustive search, which prunes nothing but lost time after a win
constexpr int kSimulations = 20000;

// Win, draw or loss (1, 0, -1) for the player to move, by walking everything; 2 if that takes more than `budget` positions.
int exhaustive(Game& game, int& budget) {
  if (--budget < 0) return 2;
  if (game.is_over()) {
    const FinalStores stores = game.final_stores();
    return stores.mover_half_seeds > stores.opponent_half_seeds ? 1 : stores.mover_half_seeds < stores.opponent_half_seeds ? -1 : 0;
  }
  const bool north = north_moves(game.position());
  int best = -2;
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    game.play(action);
    const bool same_player = north_moves(game.position()) == north;
    const int value = exhaustive(game, budget);
    game.take_back();
    if (value == 2) return 2;
    best = std::max(best, same_player ? value : -value);
    if (best == 1) return 1;
  }
  return best;
}

// `seeds` on the board at random, the rest in the stores so that the game is near its decision.
Position small_endgame(const Rules& rules, std::uint64_t number, int seeds) {
  int counts[12] = {};
  for (int i = 0; i < seeds; ++i) ++counts[test_draw(number, static_cast<std::uint32_t>(i), 12)];
  const int stored = rules.total_seeds() - seeds;
  const int mine = stored / 2 + static_cast<int>(test_draw(number, 99, 3)) - 1;
  Position position{};
  for (int pit = 0; pit < kPits; ++pit) {
    position.mover |= static_cast<Row>(counts[pit]) << (8 * pit);
    position.opponent |= static_cast<Row>(counts[pit + kPits]) << (8 * pit);
  }
  position.mover |= static_cast<Row>(mine) << kStoreShift;
  position.opponent |= static_cast<Row>(stored - mine) << kStoreShift;
  const bool north = test_draw(number, 100, 2) == 1;
  (north ? position.mover : position.opponent) |= Row{1} << kOwnerShift;
  return position;
}

// A proven win, or nothing left to prove.
bool is_root_proven(const RootResult& result) {
  if (result.proven && result.value > 0) return true;
  return std::all_of(result.actions.begin(), result.actions.end(), [](const RootAction& action) { return action.proven; });
}

class EndgameOracle : public testing::TestWithParam<std::string> {};

TEST_P(EndgameOracle, ProvenRootsHaveTheTrueResultAndTheBestMoveKeepsIt) {
  const Rules rules = parse_rules(GetParam() + ",quiet_plies=14");
  BatchSearchSettings settings;
  int compared = 0, proven = 0;
  for (std::uint64_t number = 0; number < 400 && compared < 120; ++number) {
    Game game(rules, small_endgame(rules, number * 31 + 7, 2 + static_cast<int>(number % 6)));
    if (game.is_over()) continue;
    int budget = kPositionsMax;
    const int expected = exhaustive(game, budget);
    if (expected == 2) continue;
    ++compared;
    for (const Algorithm algorithm : {Algorithm::puct, Algorithm::gumbel}) {
      settings.search.algorithm = algorithm;
      const RootRequest request{rules, game.since_capture(), kSimulations, number};
      const RootResult result = make_cpu_batch_search(settings, *make_hash_evaluator(number))->search({&request, 1}).front();
      const std::string where = GetParam() + " " + position_text(game.position());
      if (!is_root_proven(result)) continue;
      ++proven;
      EXPECT_EQ(result.value, static_cast<float>(expected)) << where;
      Game after = game;
      after.play(result.best);
      int rest = 100 * kPositionsMax;
      const bool same_player = north_moves(after.position()) == north_moves(game.position());
      const int kept = exhaustive(after, rest);
      if (kept != 2) {
        EXPECT_EQ(same_player ? kept : -kept, expected) << where << " best " << result.best;
      }
    }
  }
  EXPECT_GE(compared, 60);
  EXPECT_GE(proven, 2 * compared * 9 / 10);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, rules] : rule_presets()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Presets, EndgameOracle, testing::ValuesIn(preset_names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(EndgameOracle, WonEndingsAreWonInPlay) {
  // The engine plays both sides of proven wins; the winner must win within the quiet plies, not shuffle.
  BatchSearchSettings settings;
  settings.search.algorithm = Algorithm::puct;
  const auto search = make_cpu_batch_search(settings, *make_hash_evaluator(4));
  int won = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const Rules rules = parse_rules(number % 2 == 0 ? "abapa,quiet_plies=14" : "warri,quiet_plies=14");
    Game game(rules, small_endgame(rules, number * 17 + 3, 6));
    if (game.is_over()) continue;
    int budget = kPositionsMax;
    if (exhaustive(game, budget) != 1) continue;
    const bool winner_north = north_moves(game.position());
    for (int ply = 0; ply < 200 && !game.is_over(); ++ply) {
      const RootRequest request{rules, game.since_capture(), kSimulations, number};
      game.play(search->search({&request, 1}).front().best);
    }
    ASSERT_TRUE(game.is_over());
    const FinalStores stores = game.final_stores();
    const int difference = stores.mover_half_seeds - stores.opponent_half_seeds;
    EXPECT_GT(north_moves(game.position()) == winner_north ? difference : -difference, 0) << position_text(game.start());
    ++won;
  }
  EXPECT_GT(won, 5);
}

}  // namespace
}  // namespace wari
