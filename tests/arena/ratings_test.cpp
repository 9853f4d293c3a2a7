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

constexpr RatingSettings kDavidson{DrawModel::davidson, 1};

// Davidson's own example (1970, example 2): six brands of pudding, compared in pairs by people who may have no preference.
TEST(DrawModel, AgreesWithDavidsonsEstimates) {
  const std::vector<PairRecord> records = {{"1", "2", {19, 16, 22}}, {"1", "3", {16, 12, 19}}, {"2", "3", {19, 10, 19}}, {"1", "4", {18, 13, 23}}, {"2", "4", {23, 9, 19}},
                                           {"3", "4", {19, 15, 20}}, {"1", "5", {13, 18, 19}}, {"2", "5", {16, 12, 20}}, {"3", "5", {16, 17, 15}}, {"4", "5", {17, 16, 14}},
                                           {"1", "6", {18, 12, 21}}, {"2", "6", {22, 12, 20}}, {"3", "6", {13, 10, 18}}, {"4", "6", {14, 18, 19}}, {"5", "6", {11, 12, 21}}};
  const Ratings ratings = rate_players(records, {{"1", 0.0}}, {DrawModel::davidson, 0});
  const double published[] = {0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855};
  EXPECT_NEAR(ratings.draw_parameter, 0.7468147, 2e-5);
  // The same likelihood maximised independently (Davidson's iteration, in Python, until nothing changes).
  const double converged[] = {0.13880337518068822, 0.1730014999829947, 0.16174743403678726, 0.16537295776291402, 0.15868539457471845, 0.2023893384618974};
  EXPECT_NEAR(ratings.draw_parameter, 0.7468229876542897, 1e-8);
  const double nat = (1 + ratings.draw_parameter / 2) * std::log(10.0) / 400;  // of Davidson's scale in an Elo
  for (int brand = 1; brand < 6; ++brand) {
    const Rating* rating = ratings.find(std::to_string(brand + 1));
    EXPECT_NEAR(rating->elo * nat, std::log(published[brand] / published[0]), 2e-4) << brand + 1;  // he stopped after seven iterations
    EXPECT_NEAR(rating->elo * nat, std::log(converged[brand] / converged[0]), 1e-8) << brand + 1;
  }
  // Standard errors of the differences to the first brand, as the R package PlackettLuce gives them.
  const double errors[] = {0.1872168, 0.1935181, 0.1882110, 0.1927043, 0.1924059};
  for (int brand = 2; brand <= 6; ++brand) {
    const double error = ratings.find(std::to_string(brand))->error_95 / 1.96 * nat;
    EXPECT_NEAR(error, errors[brand - 2], 0.002) << brand;  // there nu is not part of the scale
  }
}

// Two players: the three shares are met exactly, so the strengths can be written down.
TEST(DrawModel, TwoPlayersMeetTheirSharesExactly) {
  const double wins = 50, draws = 30, losses = 20;
  const Ratings ratings = rate_players({{"a", "b", {50, 30, 20}}}, {{"b", 0.0}}, {DrawModel::davidson, 0});
  const double nu = draws / std::sqrt(wins * losses);
  EXPECT_NEAR(ratings.draw_parameter, nu, 1e-8);
  EXPECT_NEAR(elo_of(ratings, "a"), 400 * std::log10(wins / losses) / (1 + nu / 2), 1e-6);
  // The delta method on the two shares: Elo is a function f(wins, losses) of independent Poisson counts, given the draws.
  const auto elo = [](double w, double d, double l) { return 400 * std::log10(w / l) / (1 + d / std::sqrt(w * l) / 2); };
  const double h = 1e-4;
  const double by_win = (elo(wins + h, draws, losses) - elo(wins - h, draws, losses)) / (2 * h), by_draw = (elo(wins, draws + h, losses) - elo(wins, draws - h, losses)) / (2 * h),
               by_loss = (elo(wins, draws, losses + h) - elo(wins, draws, losses - h)) / (2 * h);
  EXPECT_NEAR(ratings.find("a")->error_95, 1.96 * std::sqrt(wins * by_win * by_win + draws * by_draw * by_draw + losses * by_loss * by_loss), 1e-4);
}

// Whatever share is drawn, a small lead in points is the Elo that a match between the two gives.
TEST(DrawModel, SmallLeadsStandWhereAMatchPutsThem) {
  for (int drawn : {0, 2000, 6000, 9000}) {
    const int decided = 10000 - drawn;
    const Ratings ratings = rate_players({{"a", "b", {decided / 2 + 200, drawn, decided / 2 - 200}}}, {{"b", 0.0}}, kDavidson);
    EXPECT_NEAR(elo_of(ratings, "a"), elo_from_score(0.52), 0.4) << drawn;
  }
}

// Two matches at 50 %: the drawn one leaves less doubt. The spread of the points says how much less.
TEST(DrawModel, DrawsTellMoreThanHalfWins) {
  const Ratings decided = rate_players({{"a", "b", {200, 0, 200}}}, {{"b", 0.0}}, kDavidson), drawn = rate_players({{"a", "b", {50, 300, 50}}}, {{"b", 0.0}}, kDavidson);
  EXPECT_NEAR(drawn.find("a")->error_95 / decided.find("a")->error_95, 0.5, 0.01);  // a quarter of the variance
  EXPECT_NEAR(decided.find("a")->error_95, rate_players({{"a", "b", {200, 0, 200}}}, {{"b", 0.0}}).find("a")->error_95, 1e-6);
}

TEST(DrawModel, WithoutDrawsItIsBradleyAndTerry) {
  const std::vector<PairRecord> records = {{"a", "b", {30, 0, 10}}, {"b", "c", {25, 0, 15}}, {"c", "a", {5, 0, 35}}};
  const Ratings with = rate_players(records, {{"c", 0.0}}, kDavidson), without = rate_players(records, {{"c", 0.0}});
  EXPECT_EQ(with.draw_parameter, 0);
  for (const char* player : {"a", "b"}) {
    EXPECT_NEAR(elo_of(with, player), elo_of(without, player), 1e-6);
    EXPECT_NEAR(with.find(player)->error_95, without.find(player)->error_95, 1e-6);
  }
}

TEST(DrawModel, ExtremesStayFinite) {
  const Ratings drawn = rate_players({{"a", "b", {0, 40, 0}}, {"b", "c", {0, 40, 0}}}, {{"a", 100.0}}, kDavidson);
  for (const char* player : {"a", "b", "c"}) {
    EXPECT_NEAR(elo_of(drawn, player), 100, 1e-6);
    EXPECT_TRUE(std::isfinite(drawn.find(player)->error_95));
  }
  const Ratings swept = rate_players({{"a", "b", {100000, 0, 0}}, {"b", "c", {99999, 1, 0}}, {"x", "y", {0, 3, 0}}}, {{"c", 0.0}}, kDavidson);
  for (const Rating& rating : swept.players) EXPECT_TRUE(std::isfinite(rating.elo) && std::isfinite(rating.error_95)) << rating.player;
  EXPECT_EQ(swept.warnings.size(), 1u);
  EXPECT_GT(elo_of(swept, "a"), elo_of(swept, "b"));
}

// Anchors far apart pin the scale; the share of draws comes from the games.
TEST(DrawModel, SeveralAnchorsStayWhereTheyAre) {
  const Ratings ratings = rate_players({{"a", "low", {70, 25, 5}}, {"a", "high", {20, 30, 50}}}, {{"low", 0.0}, {"high", 400.0}}, kDavidson);
  EXPECT_DOUBLE_EQ(elo_of(ratings, "low"), 0);
  EXPECT_DOUBLE_EQ(elo_of(ratings, "high"), 400);
  EXPECT_GT(elo_of(ratings, "a"), 150);
  EXPECT_LT(elo_of(ratings, "a"), 350);
  EXPECT_GT(ratings.draw_parameter, 0.3);
}

TEST(Ratings, NoGamesNoPlayers) { EXPECT_TRUE(rate_players({}, {{"random", 0.0}}).players.empty()); }

}  // namespace
}  // namespace wari
