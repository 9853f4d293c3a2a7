#include "arena/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "arena/elo.h"
#include "core/error.h"
#include "core/notation.h"
#include "core/random.h"

namespace wari {
namespace {

// Plays the legal action that is first or last in a fixed order: two players whose games can be told apart.
class ScriptedPlayer final : public Player {
 public:
  ScriptedPlayer(std::string name, bool last) : name_(std::move(name)), last_(last) {}
  std::string name() const override { return name_; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override {
    EXPECT_EQ(games.size(), keys.size());
    calls_.push_back(games.size());
    std::vector<int> actions;
    for (const Game* game : games) {
      EXPECT_FALSE(game->is_over());
      souths_ += !north_moves(game->position());
      norths_ += north_moves(game->position());
      const unsigned legal = game->legal();
      actions.push_back(last_ ? 31 - __builtin_clz(legal) : __builtin_ctz(legal));
    }
    return actions;
  }
  std::vector<std::size_t> calls_;
  int souths_ = 0, norths_ = 0;

 private:
  std::string name_;
  bool last_;
};

// Gives no moves for the games it is asked about.
class SilentPlayer final : public Player {
 public:
  std::string name() const override { return "silent"; }
  std::vector<int> choose(std::span<const Game* const>, std::span<const std::uint64_t>) override { return {}; }
};

MatchSettings settings_of(const std::string& rules, int games, std::uint64_t seed = 1) {
  MatchSettings settings;
  settings.rules = parse_rules(rules);
  settings.games = games;
  settings.seed = seed;
  return settings;
}

PlayedGame game_with_result(double a_points, bool a_is_south, const std::string& rules = "abapa") {
  // The number of seeds in the stores decides.
  const Rules set = parse_rules(rules);
  const double south = a_is_south ? a_points : 1 - a_points;
  const char* position = south == 1 ? "0-0-0-0-0-0-0-0-0-0-0-0-26-22-S" : south == 0 ? "0-0-0-0-0-0-0-0-0-0-0-0-22-26-S" : "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S";
  return {Game(set, parse_position(position, set)), a_is_south, a_points};
}

TEST(Elo, IsTheLogisticScaleOfBaseTen) {
  EXPECT_NEAR(elo_from_score(0.75), 190.85, 0.01);
  EXPECT_DOUBLE_EQ(elo_from_score(0.5), 0.0);
  EXPECT_NEAR(score_from_elo(elo_from_score(0.9)), 0.9, 1e-12);
}

TEST(Match, EloOfAllWinsIsBoundedWithAnInterval) {
  std::vector<PlayedGame> games;
  for (int i = 0; i < 40; ++i) games.push_back(game_with_result(1, i % 2 == 0));
  const MatchResult won = summarise_match(games);
  EXPECT_NEAR(won.elo, elo_from_score(40.5 / 41), 1e-9);
  EXPECT_GT(won.elo_error_95, 50);
  EXPECT_LT(won.elo_error_95, 2000);
  for (PlayedGame& game : games) game = game_with_result(0, game.a_is_south);
  const MatchResult lost = summarise_match(games);
  EXPECT_NEAR(lost.elo, -won.elo, 1e-9);
  EXPECT_NEAR(lost.elo_error_95, won.elo_error_95, 1e-9);
}

TEST(Match, DrawsAreHalfPoints) {
  std::vector<PlayedGame> games;
  for (int i = 0; i < 40; ++i) games.push_back(game_with_result(0.5, i % 2 == 0));
  const MatchResult result = summarise_match(games);
  EXPECT_EQ(result.total, (GameCounts{0, 40, 0}));
  EXPECT_DOUBLE_EQ(result.total.score(), 0.5);
  EXPECT_DOUBLE_EQ(result.elo, 0);
  EXPECT_DOUBLE_EQ(result.first_player_score, 0.5);
}

// A wins its games as South and loses the others: pairs are all even, so the openings, not the players, made the spread.
TEST(Match, ErrorComesFromPairs) {
  std::vector<PlayedGame> by_seat, by_pair;
  for (int i = 0; i < 200; ++i) {
    by_seat.push_back(game_with_result(i % 2 == 0 ? 1 : 0, i % 2 == 0));
    by_pair.push_back(game_with_result(i / 2 % 2, i % 2 == 0));
  }
  const MatchResult even = summarise_match(by_seat), spread = summarise_match(by_pair);
  EXPECT_DOUBLE_EQ(even.elo, 0);
  EXPECT_DOUBLE_EQ(spread.elo, 0);
  EXPECT_NEAR(even.elo_error_95, 0, 1e-9);
  // 100 pairs of 0 or 1 point (and half a pair at 1/2): sqrt(25 / 99.5 / 100.5) of a point, times 1.96 * 400 / ln 10 * 4 Elo a point.
  EXPECT_NEAR(spread.elo_error_95, 1.96 * std::sqrt(25.0 / 99.5 / 100.5) * 400 / std::log(10.0) * 4, 1e-9);
  EXPECT_DOUBLE_EQ(even.first_player_score, 1);
  EXPECT_DOUBLE_EQ(spread.first_player_score, 0.5);
}

// 400 matches of 60 pairs between players of known strength; the opening favours one seat in each pair. About 95 % of the intervals hold the truth.
TEST(Match, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const std::vector<PlayedGame> south_wins = {game_with_result(1, true), game_with_result(0, false)};
  const std::vector<PlayedGame> north_wins = {game_with_result(0, true), game_with_result(1, false)};
  for (double truth : {0.5, 0.7, 0.9}) {
    int held = 0;
    for (std::uint64_t match = 0; match < 400; ++match) {
      std::vector<PlayedGame> games;
      for (std::uint32_t pair = 0; pair < 60; ++pair) {
        const auto draw = [&](std::uint32_t index) { return static_cast<double>(random_unit(random_bits(3, match, pair, Purpose::test, index))); };
        const double favour = 0.3 * (draw(0) - 0.5) * 2 * (1 - truth);
        games.push_back(draw(1) < truth + favour ? south_wins[0] : north_wins[0]);
        games.push_back(draw(2) < truth - favour ? north_wins[1] : south_wins[1]);
      }
      const MatchResult result = summarise_match(games);
      held += std::abs(result.elo - elo_from_score(truth)) <= result.elo_error_95;
    }
    EXPECT_GE(held, 366) << truth;
    EXPECT_LE(held, 394) << truth;
  }
}

TEST(Match, SeatsAreCountedApart) {
  std::vector<PlayedGame> games = {game_with_result(1, true), game_with_result(0, false), game_with_result(0.5, true), game_with_result(0, false)};
  const MatchResult result = summarise_match(games);
  EXPECT_EQ(result.first, (GameCounts{1, 1, 0}));
  EXPECT_EQ(result.second, (GameCounts{0, 0, 2}));
  EXPECT_EQ(result.total, (GameCounts{1, 1, 2}));
}

TEST(Match, EachOpeningIsPlayedFromBothSeats) {
  ScriptedPlayer a("first", false), b("last", true);
  std::vector<PlayedGame> games;
  const MatchSettings settings = settings_of("abapa", 20);
  const MatchResult result = play_match(settings, a, b, {}, &games);
  ASSERT_EQ(games.size(), 20u);
  EXPECT_EQ(result.total.games(), 20);
  EXPECT_EQ(result.first.games(), 10);
  EXPECT_EQ(result.second.games(), 10);
  std::set<std::string> openings;
  for (std::size_t i = 0; i < 20; i += 2) {
    const std::string opening = line_text(games[i].game).substr(0, 4);
    EXPECT_EQ(line_text(games[i + 1].game).substr(0, 4), opening);
    EXPECT_NE(games[i].a_is_south, games[i + 1].a_is_south);
    openings.insert(opening);
  }
  EXPECT_EQ(openings.size(), 10u);
  EXPECT_GT(a.souths_, 0);
  EXPECT_GT(a.norths_, 0);
  // All games that wait for a player are handed over at once.
  EXPECT_EQ(a.calls_.front(), 10u);
  EXPECT_EQ(b.calls_.front(), 20u);
}

// A scripted winner gets all points from either seat, and the same when it is called B.
TEST(Match, PointsGoToTheWinnerFromEitherSeatAndByEitherName) {
  const auto alphabeta = make_alphabeta_player(4, 1);
  ScriptedPlayer weak("first", false);
  const MatchSettings settings = settings_of("abapa", 20);
  const MatchResult as_a = play_match(settings, *alphabeta, weak), as_b = play_match(settings, weak, *alphabeta);
  EXPECT_EQ(as_a.total, (GameCounts{20, 0, 0}));
  EXPECT_EQ(as_a.first, (GameCounts{10, 0, 0}));
  EXPECT_EQ(as_a.second, (GameCounts{10, 0, 0}));
  EXPECT_EQ(as_b.total, (GameCounts{0, 0, 20}));
}

// South has 22 seeds and the last two, cannot feed, and draws; North would win if the rows were forgotten.
TEST(Match, ResultsComeFromFinalStores) {
  ScriptedPlayer a("first", false), b("last", true);
  for (const char* name : {"abapa", "wari", "warri", "awale", "two-lap", "relay", "relay-literal", "short", "zillions", "awari"}) {
    std::vector<PlayedGame> games;
    play_match(settings_of(name, 40), a, b, {}, &games);
    for (const PlayedGame& played : games) {
      const FinalStores stores = played.game.final_stores();
      const bool a_moves = played.a_is_south != north_moves(played.game.position());
      const int lead = a_moves ? stores.mover_half_seeds - stores.opponent_half_seeds : stores.opponent_half_seeds - stores.mover_half_seeds;
      EXPECT_DOUBLE_EQ(played.a_points, lead > 0 ? 1 : lead < 0 ? 0 : 0.5) << name << ' ' << line_text(played.game);
    }
  }
}

TEST(Match, SameSeedAndPlayersGiveTheSameGames) {
  const auto play = [](std::uint64_t seed, int workers) {
    const auto random = make_random_player(), alphabeta = make_alphabeta_player(3, workers);
    std::vector<PlayedGame> games;
    play_match(settings_of("abapa", 30, seed), *random, *alphabeta, {}, &games);
    std::vector<std::string> lines;
    for (const PlayedGame& game : games) lines.push_back(line_text(game.game));
    return lines;
  };
  EXPECT_EQ(play(1, 1), play(1, 3));
  EXPECT_NE(play(1, 1), play(2, 1));
}

TEST(Match, DistinctGamesAreCounted) {
  ScriptedPlayer a("first", false), b("first", false);
  MatchSettings settings = settings_of("abapa", 20);
  settings.opening_plies = 0;
  EXPECT_EQ(play_match(settings, a, b).distinct_games, 1);
  settings.opening_plies = 4;
  EXPECT_EQ(play_match(settings, a, b).distinct_games, 10);
}

TEST(Match, OpeningsRepeatOnlyWhenThereAreNoMore) {
  const auto distinct = [](const MatchSettings& settings) {
    std::map<std::string, int> lines;
    for (const Game& game : match_openings(settings)) {
      EXPECT_FALSE(game.is_over());
      EXPECT_EQ(game.plies(), settings.opening_plies);
      ++lines[line_text(game)];
    }
    int most = 0, least = 1 << 30;
    for (const auto& [line, count] : lines) most = std::max(most, count), least = std::min(least, count);
    EXPECT_LE(most - least, 1);
    return lines.size();
  };
  MatchSettings settings = settings_of("abapa", 2000);
  EXPECT_EQ(distinct(settings), 1000u);  // of 1,014
  settings.opening_plies = 2;
  EXPECT_EQ(distinct(settings), 36u);
  settings.opening_plies = 12;
  settings.games = 400;
  EXPECT_EQ(distinct(settings), 200u);
}

TEST(Match, WrongUseIsRefused) {
  ScriptedPlayer a("first", false), b("last", true);
  EXPECT_THROW(play_match(settings_of("abapa", 3), a, b), Error);
  EXPECT_THROW(play_match(settings_of("abapa", 0), a, b), Error);
  EXPECT_THROW(play_match(settings_of("abapa,quiet_plies=0", 2), a, b), Error);
  MatchSettings settings = settings_of("abapa,quiet_plies=3", 2);
  settings.opening_plies = 30;
  EXPECT_THROW(play_match(settings, a, b), Error);
  SilentPlayer silent;
  EXPECT_THROW(play_match(settings_of("abapa", 2), a, silent), Error);
}

TEST(Match, StopsBetweenRoundsAndKeepsFinishedPairs) {
  ScriptedPlayer a("first", false), b("last", true);
  int finished = 0;
  const MatchResult result = play_match(settings_of("abapa", 40), a, b, [&](const MatchProgress& progress) {
    EXPECT_EQ(progress.games, 40);
    finished = progress.finished;
    return progress.finished < 10;
  });
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.total.games() % 2, 0);
  EXPECT_LE(result.total.games(), finished);
  EXPECT_LT(result.total.games(), 40);
}

TEST(Match, ProgressNamesRateAndTimeLeft) {
  EXPECT_EQ(progress_text({100, 400, {80, 10, 10}, 0.5, 20.0}), "100/400 games, 85.0 %, 10 games/s, 20 s left");
  EXPECT_EQ(progress_text({0, 400, {}, 0.25, 20.0}), "0/400 games, 5 games/s, 60 s left");
  EXPECT_EQ(progress_text({100, 400, {80, 10, 10}, 0.5, 20.0, SequentialTest({})}), "100 games, 85.0 %, 10 games/s, LLR 0.00 (-2.94 to 2.94)");
  ScriptedPlayer a("first", false), b("last", true);
  double share = 0;
  play_match(settings_of("abapa", 20), a, b, [&](const MatchProgress& progress) {
    EXPECT_GE(progress.share, 0);
    EXPECT_LE(progress.share, 1);
    share = progress.share;
    return true;
  });
  EXPECT_DOUBLE_EQ(share, 1);
}

TEST(Players, EachReferenceBeatsTheWeakerOne) {
  const auto random = make_random_player(), greedy = make_greedy_player(), alphabeta = make_alphabeta_player(4, 2);
  EXPECT_GT(play_match(settings_of("abapa", 200), *greedy, *random).total.score(), 0.85);
  EXPECT_GT(play_match(settings_of("abapa", 100), *alphabeta, *greedy).total.score(), 0.9);
  EXPECT_GT(play_match(settings_of("warri", 60), *alphabeta, *greedy).total.score(), 0.8);
}

// Draws by chance over 400 games lie between 0.4 and 0.6 unless seats are mixed up.
TEST(Players, RandomAgainstRandomIsEven) {
  const auto a = make_random_player(), b = make_random_player();
  const MatchResult result = play_match(settings_of("abapa", 1000), *a, *b);
  EXPECT_NEAR(result.total.score(), 0.5, 0.06);
  EXPECT_GT(result.distinct_games, 990);
}

}  // namespace
}  // namespace wari
