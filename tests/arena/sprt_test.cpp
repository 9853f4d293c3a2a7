#include "arena/sprt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "arena/elo.h"
#include "core/error.h"
#include "core/random.h"

namespace wari {
namespace {

// What fishtest's LLR_logistic gives, in all digits; the last two are the values that fastchess' own tests expect, in three.
TEST(Sprt, AgreesWithPublishedValues) {
  EXPECT_NEAR(sprt_log_likelihood_ratio({3, 20, 50, 22, 5}, 0, 20), 0.04032037241670679, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({3, 20, 50, 22, 5}, 0, 5), 0.17838022438188125, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({3, 20, 50, 22, 5}, -10, 10), 0.9344729113889829, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({0, 10, 30, 12, 0}, 0, 20), -0.27041453628885204, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({0, 10, 30, 12, 0}, 0, 5), 0.085226848211516, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({12, 40, 60, 30, 8}, 0, 20), -2.9973011351582723, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({12, 40, 60, 30, 8}, -10, 10), -2.0579732004260216, 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({223, 9863, 21279, 10037, 246}, 0.5, 2.5), -3.07, 0.005);
  EXPECT_NEAR(sprt_log_likelihood_ratio({871, 26175, 55983, 26678, 821}, 0, 2), -4.98, 0.005);
}

TEST(Sprt, BoundsAreWalds) {
  const SequentialTest even({0, 10, 0.05, 0.05}), strict({0, 10, 0.01, 0.1});
  EXPECT_NEAR(even.lower(), -2.9444389791664403, 1e-12);
  EXPECT_NEAR(even.upper(), 2.9444389791664403, 1e-12);
  EXPECT_NEAR(strict.lower(), std::log(0.1 / 0.99), 1e-12);
  EXPECT_NEAR(strict.upper(), std::log(0.9 / 0.01), 1e-12);
}

// Wins raise it, losses lower it; turned round it has the other sign.
TEST(Sprt, MovesTowardsWhoWins) {
  EXPECT_GT(sprt_log_likelihood_ratio({0, 0, 5, 5, 5}, 0, 10), 0);
  EXPECT_LT(sprt_log_likelihood_ratio({5, 5, 5, 0, 0}, 0, 10), 0);
  EXPECT_NEAR(sprt_log_likelihood_ratio({3, 20, 50, 22, 5}, -5, 15), -sprt_log_likelihood_ratio({5, 22, 50, 20, 3}, -15, 5), 1e-9);
  EXPECT_NEAR(sprt_log_likelihood_ratio({0, 0, 0, 0, 0}, 0, 10), 0, 1e-3);
  EXPECT_LT(sprt_log_likelihood_ratio({0, 0, 20, 0, 0}, 0, 10), 0) << "draws alone speak for H0";
}

TEST(Sprt, ADecisionStays) {
  SequentialTest test({0, 20, 0.05, 0.05});
  int pairs = 0;
  for (; test.decision() == SprtDecision::none; ++pairs) test.add(2);
  EXPECT_EQ(test.decision(), SprtDecision::h1);
  EXPECT_EQ(pairs, 53);  // the count that fishtest's function gives for pairs that are all won
  const double ratio = test.log_likelihood_ratio();
  for (int i = 0; i < 1000; ++i) test.add(0);
  EXPECT_EQ(test.decision(), SprtDecision::h1);
  EXPECT_EQ(test.log_likelihood_ratio(), ratio);
  EXPECT_EQ(test.pairs(), (Pentanomial{0, 0, 0, 0, 53}));
  SequentialTest lost({0, 20, 0.05, 0.05});
  while (lost.decision() == SprtDecision::none) lost.add(0);
  EXPECT_EQ(lost.decision(), SprtDecision::h0);
}

// Pairs of games between players of known strength, from openings that favour one seat: the two games of a pair are not independent.
double points_of_pair(double elo, std::uint64_t test, std::uint32_t pair) {
  const auto draw = [&](std::uint32_t index) { return static_cast<double>(random_unit(random_bits(11, test, pair, Purpose::test, index))); };
  const double score = score_from_elo(elo), favour = 0.3 * (2 * draw(0) - 1), drawn = 0.2;
  const auto points_of_game = [&](double expected, double u) { return u < expected - drawn / 2 ? 1.0 : u < expected + drawn / 2 ? 0.5 : 0.0; };
  return points_of_game(score + favour, draw(1)) + points_of_game(score - favour, draw(2));
}

// The share of wrong decisions is what was asked for, at either hypothesis.
TEST(Sprt, WrongDecisionsAreAsRareAsAskedFor) {
  constexpr int kTests = 600;
  for (const SprtSettings& settings : {SprtSettings{0, 25, 0.05, 0.05}, SprtSettings{-20, 20, 0.1, 0.03}}) {
    int accepted_h1 = 0, accepted_h0 = 0;
    for (std::uint64_t number = 0; number < kTests; ++number) {
      SequentialTest at_h0(settings), at_h1(settings);
      for (std::uint32_t pair = 0; at_h0.decision() == SprtDecision::none; ++pair) at_h0.add(points_of_pair(settings.elo0, number, pair));
      for (std::uint32_t pair = 0; at_h1.decision() == SprtDecision::none; ++pair) at_h1.add(points_of_pair(settings.elo1, kTests + number, pair));
      accepted_h1 += at_h0.decision() == SprtDecision::h1;
      accepted_h0 += at_h1.decision() == SprtDecision::h0;
    }
    const auto allowed = [](double rate) { return kTests * rate + 3 * std::sqrt(kTests * rate * (1 - rate)); };
    EXPECT_LE(accepted_h1, allowed(settings.alpha));
    EXPECT_LE(accepted_h0, allowed(settings.beta));
    EXPECT_GE(accepted_h1, kTests * settings.alpha / 4) << "a test that never errs wastes games";
    EXPECT_GE(accepted_h0, kTests * settings.beta / 4);
  }
}

TEST(Sprt, SettingsAreReadStrictly) {
  const SprtSettings settings = parse_sprt("elo1=5,elo0=-3.5,beta=0.1");
  EXPECT_DOUBLE_EQ(settings.elo0, -3.5);
  EXPECT_DOUBLE_EQ(settings.elo1, 5);
  EXPECT_DOUBLE_EQ(settings.alpha, 0.05);
  EXPECT_DOUBLE_EQ(settings.beta, 0.1);
  EXPECT_DOUBLE_EQ(parse_sprt("").elo1, 10);
  for (const char* text : {"elo0=10", "elo0=5,elo1=5", "alpha=0", "beta=0.5", "alpha=nan", "elo2=3", "elo0", "elo0=1,elo0=2", "elo1=inf"}) {
    EXPECT_THROW(parse_sprt(text), Error) << text;
  }
}

TEST(Sprt, DecisionsHaveNames) {
  EXPECT_STREQ(sprt_decision_name(SprtDecision::none), "continue");
  EXPECT_STREQ(sprt_decision_name(SprtDecision::h0), "H0");
  EXPECT_STREQ(sprt_decision_name(SprtDecision::h1), "H1");
}

}  // namespace
}  // namespace wari
