#include "arena/gate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "arena/elo.h"
#include "core/random.h"

namespace wari {
namespace {

GateSettings by_score(double score, int games) {
  GateSettings settings;
  settings.rule = GateRule::score;
  settings.score = score;
  settings.games = games;
  return settings;
}

GateSettings by_test(int games) {
  GateSettings settings;
  settings.rule = GateRule::sprt;
  settings.games = games;
  return settings;
}

// A match from a list of points of its games, with the test where there is one.
MatchResult result_of(const GateSettings& settings, const std::vector<double>& points) {
  const MatchSettings match = gate_match(settings, Rules{}, 4, 1, 7);
  MatchResult result;
  if (match.sprt) result.sprt.emplace(*match.sprt);
  for (std::size_t i = 0; i < points.size(); ++i) {
    (points[i] > 0.75 ? result.total.wins : points[i] < 0.25 ? result.total.losses : result.total.draws) += 1;
    if (result.sprt && i % 2 == 1) result.sprt->add(points[i - 1] + points[i]);
  }
  return result;
}

TEST(Gate, AllDrawsAreRejected) {
  const std::vector<double> draws(40, 0.5);
  EXPECT_FALSE(gate_accepts(by_score(0.5, 40), result_of(by_score(0.5, 40), draws)));
  EXPECT_FALSE(gate_accepts(by_test(40), result_of(by_test(40), draws))) << "undecided";
  EXPECT_TRUE(gate_accepts(by_score(0.49, 40), result_of(by_score(0.49, 40), draws)));
  EXPECT_TRUE(gate_accepts(GateSettings{}, result_of(GateSettings{}, draws))) << "no gate";
}

TEST(Gate, AClearWinnerPassesAndALoserDoesNot) {
  for (const GateSettings& settings : {by_score(0.5, 200), by_test(200)}) {
    EXPECT_TRUE(gate_accepts(settings, result_of(settings, std::vector<double>(200, 1))));
    EXPECT_FALSE(gate_accepts(settings, result_of(settings, std::vector<double>(200, 0))));
  }
}

TEST(Gate, EachIterationHasGamesOfItsOwn) {
  const GateSettings settings = by_score(0.5, 10);
  EXPECT_NE(gate_match(settings, Rules{}, 4, 1, 7).seed, gate_match(settings, Rules{}, 4, 1, 8).seed);
  EXPECT_NE(gate_match(settings, Rules{}, 4, 1, 7).seed, gate_match(settings, Rules{}, 4, 2, 7).seed);
  EXPECT_EQ(gate_match(settings, Rules{}, 4, 1, 7).opening_plies, 4);
  EXPECT_FALSE(gate_match(settings, Rules{}, 4, 1, 7).sprt.has_value());
  EXPECT_EQ(gate_match(by_test(10), Rules{}, 4, 1, 7).sprt->elo1, GateSettings{}.elo1);
}

// How often a network of a given strength passes: the table of docs/evaluation.md, printed. A tenth of the games is drawn.
TEST(Gate, PassesAsOftenAsTheGuideSays) {
  constexpr int kTrials = 1000;
  const std::vector<std::pair<const char*, GateSettings>> gates = {{"score 0.5, 100 games", by_score(0.5, 100)},
                                                                   {"score 0.5, 400", by_score(0.5, 400)},
                                                                   {"score 0.55, 100", by_score(0.55, 100)},
                                                                   {"score 0.55, 400", by_score(0.55, 400)},
                                                                   {"sprt -20 10, 1000", by_test(1000)}};
  const std::vector<std::vector<double>> guide = {{6, 25, 48, 70, 94}, {0, 11, 50, 88, 100}, {1, 5, 14, 31, 66}, {0, 0, 1, 18, 82}, {0, 3, 46, 95, 100}};
  for (std::size_t gate = 0; gate < gates.size(); ++gate) {
    std::string line = fmt::format("{:<22}", gates[gate].first);
    std::size_t column = 0;
    for (const double elo : {-50.0, -20.0, 0.0, 20.0, 50.0}) {
      int passed = 0;
      for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        std::vector<double> points;
        for (int game = 0; game < gates[gate].second.games; ++game) {
          const double u =
              static_cast<double>(random_unit(random_bits(5, trial, static_cast<std::uint32_t>(game), Purpose::test, static_cast<std::uint32_t>(elo + 100))));
          const double expected = score_from_elo(elo);
          points.push_back(u < expected - 0.05 ? 1 : u < expected + 0.05 ? 0.5 : 0);
        }
        passed += gate_accepts(gates[gate].second, result_of(gates[gate].second, points));
      }
      const double share = 100.0 * passed / kTrials;
      line += fmt::format(" {:>5.1f}", share);
      EXPECT_NEAR(share, guide[gate][column++], 3) << gates[gate].first << ", " << elo;
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace wari
