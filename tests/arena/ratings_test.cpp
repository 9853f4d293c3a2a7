#include "arena/ratings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>
#include <string>
#include <map>
#include <utility>
#include <set>
#include <algorithm>

#include "arena/elo.h"
#include "core/random.h"

namespace wari {
namespace {

double elo_of(const Ratings& ratings, const std::string& player) {
  const Rating* rating = ratings.find(player);
  EXPECT_NE(rating, nullptr) << player;
  return rating == nullptr ? std::nan("") : rating->elo;
}

TEST(Ratings, TwoPlayersAreAsFarApartAsTheirMatchSays) {
  const Ratings ratings = rate_players({{"a", "random", {70, 10, 20}}}, {{"random", 0.0}});
  EXPECT_NEAR(elo_of(ratings, "a"), elo_from_score(75.5 / 101), 1e-6);
  EXPECT_DOUBLE_EQ(elo_of(ratings, "random"), 0);
  // Binomial: 1 / (n p (1 - p)) is the variance of the log odds.
  const double p = 75.5 / 101;
  EXPECT_NEAR(ratings.find("a")->error_95, 1.96 * 400 / std::log(10.0) / std::sqrt(101 * p * (1 - p)), 1e-6);
  EXPECT_EQ(ratings.find("a")->games, 100);
  EXPECT_TRUE(ratings.find("random")->anchored);
  EXPECT_TRUE(ratings.warnings.empty());
}

TEST(Ratings, OrderOfNamesAndOfRecordsDoesNotMatter) {
  const Ratings one = rate_players({{"a", "b", {30, 0, 10}}, {"b", "random", {30, 0, 10}}}, {{"random", 0.0}});
  const Ratings other = rate_players({{"random", "b", {10, 0, 30}}, {"b", "a", {4, 0, 12}}, {"a", "b", {18, 0, 6}}}, {{"random", 0.0}});
  for (const char* player : {"a", "b"}) EXPECT_NEAR(elo_of(one, player), elo_of(other, player), 1e-6);
}

// A chain: differences add up, and a far end is less certain.
TEST(Ratings, AChainAddsUp) {
  const Ratings ratings = rate_players({{"c", "b", {75, 0, 25}}, {"b", "a", {75, 0, 25}}}, {{"a", 100.0}});
  const double step = elo_from_score(75.25 / 100.5);
  EXPECT_NEAR(elo_of(ratings, "b"), 100 + step, 1e-6);
  EXPECT_NEAR(elo_of(ratings, "c"), 100 + 2 * step, 1e-6);
  EXPECT_NEAR(ratings.find("c")->error_95, std::sqrt(2.0) * ratings.find("b")->error_95, 1e-6);
}

// Three players who beat each other in a circle are equal (the points of each are half of its games).
TEST(Ratings, ACircleIsLevel) {
  const Ratings ratings = rate_players({{"a", "b", {8, 0, 2}}, {"b", "c", {8, 0, 2}}, {"c", "a", {8, 0, 2}}}, {{"a", 0.0}});
  EXPECT_NEAR(elo_of(ratings, "b"), 0, 1e-6);
  EXPECT_NEAR(elo_of(ratings, "c"), 0, 1e-6);
}

TEST(Ratings, AllWinsStayFinite) {
  const Ratings ratings = rate_players({{"a", "random", {1000000, 0, 0}}, {"z", "random", {0, 0, 1000000}}}, {{"random", 0.0}});
  EXPECT_NEAR(elo_of(ratings, "a"), elo_from_score(1000000.25 / 1000000.5), 1e-3);  // half a drawn game each: random has two opponents
  EXPECT_NEAR(elo_of(ratings, "z"), -elo_of(ratings, "a"), 1e-3);
  EXPECT_TRUE(std::isfinite(ratings.find("a")->error_95));
}

// A sparse table of 20: finite, and each player's points are what the ratings expect (the condition of the maximum).
TEST(Ratings, ASparseTableFitsItsPoints) {
  std::vector<PairRecord> records;
  const auto name = [](int player) { return "p" + std::string(player < 10 ? "0" : "") + std::to_string(player); };
  for (int player = 1; player < 20; ++player) {
    const int other =
        static_cast<int>(random_below(random_bits(1, static_cast<std::uint64_t>(player), 0, Purpose::test, 0), static_cast<std::uint32_t>(player)));
    const int wins = static_cast<int>(random_below(random_bits(1, static_cast<std::uint64_t>(player), 0, Purpose::test, 1), 11));
    records.push_back({name(player), name(other), {wins, 3, 10 - wins}});
  }
  records.push_back({name(19), name(3), {0, 0, 13}});
  const Ratings ratings = rate_players(records, {{name(0), 0.0}});
  std::map<std::string, std::set<std::string>> opponents;
  std::map<std::pair<std::string, std::string>, double> prior;  // of a pair, spent on its first record
  for (const PairRecord& record : records) {
    opponents[record.a].insert(record.b);
    opponents[record.b].insert(record.a);
  }
  for (const PairRecord& record : records) prior[std::minmax(record.a, record.b)] = 1.0 / static_cast<double>(std::max(opponents[record.a].size(), opponents[record.b].size()));
  std::map<std::string, double> surprise;
  for (const PairRecord& record : records) {
    const int games = record.games.games();
    const double drawn = std::exchange(prior[std::minmax(record.a, record.b)], 0.0);
    const double points =
        record.games.wins + 0.5 * record.games.draws + 0.5 * drawn - (games + drawn) * score_from_elo(elo_of(ratings, record.a) - elo_of(ratings, record.b));
    surprise[record.a] += points;
    surprise[record.b] -= points;
  }
  for (const auto& [player, points] : surprise) {
    EXPECT_TRUE(std::isfinite(elo_of(ratings, player)));
    if (player != name(0)) {
      EXPECT_NEAR(points, 0, 1e-6) << player;
    }
  }
}

// A run whose checkpoints all sweep the weak references and gain on one another: the curve must rise, and what is known must not sink as the run goes on.
TEST(Ratings, SweepsOfWeakReferencesDoNotSinkTheScale) {
  std::vector<PairRecord> records{{"greedy", "random", {80, 4, 16}}, {"depth 4", "greedy", {92, 2, 6}}, {"depth 8", "depth 4", {85, 6, 9}}};
  std::vector<double> first, newest;
  for (int checkpoint = 1; checkpoint <= 15; ++checkpoint) {
    const std::string name = "iteration " + std::to_string(100 * checkpoint);
    for (const char* reference : {"random", "greedy", "depth 4"}) records.push_back({name, reference, {100, 0, 0}});
    records.push_back({name, "depth 8", {97, 2, 1}});
    if (checkpoint > 1) records.push_back({name, "iteration " + std::to_string(100 * (checkpoint - 1)), {50, 8, 42}});
    const Ratings ratings = rate_players(records, {{"random", 0.0}});
    first.push_back(elo_of(ratings, "iteration 100"));
    newest.push_back(elo_of(ratings, name));
  }
  EXPECT_GT(newest.back() - first.back(), 150);          // fourteen steps of 28 Elo, pulled together by equal scores against the reference
  EXPECT_GT(newest.back(), newest.front());              // the curve that was written as the run went on rises
  EXPECT_GT(newest.back(), 1000);
}

TEST(Ratings, PlayersWithoutALinkToAnAnchorAreNamed) {
  const Ratings ratings = rate_players({{"a", "random", {5, 0, 5}}, {"x", "y", {75, 0, 25}}, {"lone", "lone", {1, 0, 1}}}, {{"random", 0.0}});
  EXPECT_EQ(ratings.warnings.size(), 2u);
  EXPECT_TRUE(ratings.find("a")->connected);
  EXPECT_FALSE(ratings.find("x")->connected);
  EXPECT_NEAR(elo_of(ratings, "x"), elo_from_score(75.5 / 101) / 2, 1e-6);
  EXPECT_NEAR(elo_of(ratings, "y"), -elo_from_score(75.5 / 101) / 2, 1e-6);
  EXPECT_NEAR(ratings.find("x")->error_95, ratings.find("y")->error_95, 1e-9);
  EXPECT_DOUBLE_EQ(elo_of(ratings, "lone"), 0);
}

TEST(Ratings, SeveralAnchorsStayWhereTheyAre) {
  const Ratings ratings = rate_players({{"a", "low", {90, 0, 10}}, {"a", "high", {50, 0, 50}}}, {{"low", 0.0}, {"high", 1000.0}});
  EXPECT_DOUBLE_EQ(elo_of(ratings, "low"), 0);
  EXPECT_DOUBLE_EQ(elo_of(ratings, "high"), 1000);
  EXPECT_GT(elo_of(ratings, "a"), 380);
  EXPECT_LT(elo_of(ratings, "a"), 1000);
}

TEST(Ratings, NoGamesNoPlayers) { EXPECT_TRUE(rate_players({}, {{"random", 0.0}}).players.empty()); }

}  // namespace
}  // namespace wari
