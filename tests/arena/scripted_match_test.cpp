#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "arena/elo.h"
#include "arena/match.h"
#include "core/error.h"
#include "core/notation.h"
#include "core/random.h"

// Matches whose every result is written down beforehand: the tables must say exactly that.
namespace wari {
namespace {

// Points of A in game `number`, where A moves first or second.
using Script = std::function<double(std::size_t number, bool a_is_first)>;

MatchResult scripted(int games, const Script& script) {
  const Rules rules;
  std::vector<PlayedGame> played;
  for (std::size_t number = 0; number < static_cast<std::size_t>(games); ++number) {
    const bool a_is_south = number % 2 == 0;
    Game game(rules);
    play_line(game, a_is_south ? "Aa" : "Bb");
    played.push_back({game, a_is_south, script(number, a_is_south)});
  }
  return summarise_match(played);
}

TEST(ScriptedMatch, AAlwaysWins) {
  const MatchResult result = scripted(40, [](std::size_t, bool) { return 1.0; });
  EXPECT_EQ(result.total, (GameCounts{40, 0, 0}));
  EXPECT_EQ(result.first, (GameCounts{20, 0, 0}));
  EXPECT_EQ(result.second, (GameCounts{20, 0, 0}));
  EXPECT_EQ(result.pairs, (Pentanomial{0, 0, 0, 0, 20}));
  EXPECT_DOUBLE_EQ(result.total.score(), 1);
  EXPECT_DOUBLE_EQ(result.first_player_score, 0.5);
  EXPECT_NEAR(result.elo, elo_from_score(40.5 / 41), 1e-9);
}

TEST(ScriptedMatch, AAlwaysWinsAsFirst) {
  const MatchResult result = scripted(40, [](std::size_t, bool a_is_first) { return a_is_first ? 1.0 : 0.0; });
  EXPECT_EQ(result.total, (GameCounts{20, 0, 20}));
  EXPECT_EQ(result.first, (GameCounts{20, 0, 0}));
  EXPECT_EQ(result.second, (GameCounts{0, 0, 20}));
  EXPECT_EQ(result.pairs, (Pentanomial{0, 0, 20, 0, 0}));
  EXPECT_DOUBLE_EQ(result.elo, 0);
  EXPECT_NEAR(result.elo_error_95, 0, 1e-9);  // every pair is level
  EXPECT_DOUBLE_EQ(result.first_player_score, 1);
}

TEST(ScriptedMatch, AllDraws) {
  const MatchResult result = scripted(40, [](std::size_t, bool) { return 0.5; });
  EXPECT_EQ(result.total, (GameCounts{0, 40, 0}));
  EXPECT_EQ(result.pairs, (Pentanomial{0, 0, 20, 0, 0}));
  EXPECT_DOUBLE_EQ(result.total.score(), 0.5);
  EXPECT_DOUBLE_EQ(result.elo, 0);
}

TEST(ScriptedMatch, EveryKindOfPairHasItsPlace) {
  const double points[] = {0, 0, 0.5, 0, 1, 0, 0.5, 0.5, 0.5, 1, 1, 1};
  const MatchResult result = scripted(12, [&](std::size_t number, bool) { return points[number]; });
  EXPECT_EQ(result.pairs, (Pentanomial{1, 1, 2, 1, 1}));
  EXPECT_EQ(result.total, (GameCounts{4, 4, 4}));
}

TEST(ScriptedMatch, SeatsFollowWhoeverMovesFirstInThePosition) {
  const Rules rules;
  const Game north_begins(rules, parse_position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-N", rules));
  const MatchResult result = summarise_match(std::vector<PlayedGame>{{north_begins, true, 0.0}, {north_begins, false, 1.0}});
  EXPECT_EQ(result.first, (GameCounts{1, 0, 0}));
  EXPECT_EQ(result.second, (GameCounts{0, 0, 1}));
  EXPECT_DOUBLE_EQ(result.first_player_score, 1);
}

TEST(ScriptedMatch, ForfeitsAreCountedByWhoeverWasToMove) {
  const Rules rules;
  std::vector<PlayedGame> games(4, {Game(rules), true, 0.0, kCrashed});
  games[1] = {Game(rules), false, 1.0, kIllegalMove};  // B is South
  games[2].forfeit = kOutOfTime;
  games[3] = {Game(rules), false, 1.0, kOutOfTime};
  const MatchResult result = summarise_match(games);
  EXPECT_EQ(result.a_forfeits, (ForfeitCounts{1, 1, 0}));
  EXPECT_EQ(result.b_forfeits, (ForfeitCounts{0, 1, 1}));
  EXPECT_EQ(result.total, (GameCounts{2, 0, 2}));
}

// Loses some of its games by not playing on: which ones, and after how many plies, is a function of the opening.
class Forfeiter final : public Player {
 public:
  explicit Forfeiter(bool loses) : loses_(loses) {}
  std::string name() const override { return "forfeiter"; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    most_ = std::max(most_, games.size());
    std::vector<int> actions;
    for (const Game* game : games) {
      std::uint64_t h = 7;
      for (const std::uint8_t action : game->actions().first(4)) h = mix64(h * 31 + action);
      const bool gives_up = loses_ && h % 100 < 30 && game->plies() > static_cast<int>(4 + h % 40);
      actions.push_back(gives_up ? kCrashed : __builtin_ctz(game->legal()));
    }
    return actions;
  }
  std::size_t most_ = 0;

 private:
  bool loses_;
};

MatchSettings with_test(int games_at_once) {
  MatchSettings settings;
  settings.games = 2000;
  settings.games_at_once = games_at_once;
  settings.sprt = SprtSettings{0, 50, 0.05, 0.05};
  return settings;
}

// However many games run side by side: the test sees pairs in order of number, so it decides after the same pair, and the result is of the same games.
TEST(ScriptedMatch, TheTestDecidesInOrderOfNumberHoweverManyGamesRunAtOnce) {
  std::vector<std::string> expected;
  MatchResult first;
  for (int at_once : {2, 7, 64, 2000}) {
    Forfeiter a(false), b(true);
    std::vector<PlayedGame> games;
    const MatchResult result = play_match(with_test(at_once), a, b, {}, &games);
    ASSERT_TRUE(result.sprt.has_value());
    EXPECT_EQ(result.sprt->decision(), SprtDecision::h1);
    EXPECT_TRUE(result.complete);
    EXPECT_LE(a.most_, static_cast<std::size_t>(at_once));
    EXPECT_EQ(result.sprt->pairs(), result.pairs);
    std::vector<std::string> lines;
    for (const PlayedGame& game : games) lines.push_back(line_text(game.game));
    if (expected.empty()) expected = lines, first = result;
    EXPECT_EQ(lines, expected) << at_once;
    EXPECT_EQ(result.pairs, first.pairs);
    EXPECT_EQ(result.b_forfeits, first.b_forfeits);
    EXPECT_GT(result.b_forfeits.crashes, 0);
    EXPECT_DOUBLE_EQ(result.sprt->log_likelihood_ratio(), first.sprt->log_likelihood_ratio());
    EXPECT_LT(result.total.games(), 2000);
  }
}

TEST(ScriptedMatch, AStoppedTestTellsOfThePairsThatItHasSeen) {
  Forfeiter a(false), b(true);
  int calls = 0;
  const MatchResult result = play_match(with_test(16), a, b, [&](const MatchProgress& progress) {
    EXPECT_TRUE(progress.sprt.has_value());
    return ++calls < 120;
  });
  EXPECT_FALSE(result.complete);
  ASSERT_TRUE(result.sprt.has_value());
  EXPECT_EQ(result.sprt->decision(), SprtDecision::none);
  EXPECT_EQ(result.sprt->pairs(), result.pairs);
  EXPECT_GT(result.total.games(), 0);
}

TEST(ScriptedMatch, AnUndecidedTestEndsWithTheGames) {
  Forfeiter a(false), b(false);
  MatchSettings settings = with_test(0);
  settings.games = 40;
  settings.sprt = SprtSettings{0, 1, 0.05, 0.05};
  const MatchResult result = play_match(settings, a, b);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.sprt->decision(), SprtDecision::none);
  EXPECT_EQ(result.total.games(), 40);
}

// A player that was asked to stop before it had chosen: the game stays where it is.
class Stopper final : public Player {
 public:
  std::string name() const override { return "stopper"; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    std::vector<int> actions;
    for (const Game* game : games) actions.push_back(calls_ < 30 ? __builtin_ctz(game->legal()) : kNotChosen);
    ++calls_;
    return actions;
  }
  int games_at_once() const override { return 2; }
  int calls_ = 0;
};

TEST(ScriptedMatch, AGameThatWasNotGoneOnWithIsNotCounted) {
  Stopper a;
  Forfeiter b(false);
  MatchSettings settings;
  settings.games = 200;
  const MatchResult result = play_match(settings, a, b, [&](const MatchProgress&) { return a.calls_ < 31; });
  EXPECT_FALSE(result.complete);
  EXPECT_LT(result.total.games(), 200);
  EXPECT_EQ(result.a_forfeits.total(), 0);
  EXPECT_LE(b.most_, 2u);
}

}  // namespace
}  // namespace wari
