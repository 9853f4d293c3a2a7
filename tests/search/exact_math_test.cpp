#include "search/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/noise.h"

namespace wari {
namespace {

TEST(ExactMath, ExponentialIsWithinAMillionthOfTheLibrary) {
  for (double x = -86.9; x < 87.9; x += 0.00731) {
    const auto argument = static_cast<float>(x);
    const double expected = std::exp(static_cast<double>(argument));
    EXPECT_NEAR(exact_exp(argument) / expected, 1.0, 3e-7) << x;
  }
  EXPECT_EQ(exact_exp(0.0f), 1.0f);
  EXPECT_EQ(exact_exp(-1e9f), exact_exp(-87.0f));
  EXPECT_EQ(exact_exp(1e9f), exact_exp(88.0f));
}

TEST(ExactMath, LogarithmIsWithinAMillionthOfTheLibrary) {
  for (double x = 1e-37; x < 1e38; x *= 1.0137) {
    const auto argument = static_cast<float>(x);
    EXPECT_NEAR(exact_log(argument), std::log(static_cast<double>(argument)), 3e-7 * std::max(1.0, std::fabs(std::log(x)))) << x;
  }
  EXPECT_EQ(exact_log(1.0f), 0.0f);
  // Next to 1 the relative error matters: Gumbel draws take the logarithm of the logarithm.
  const float below = 1.0f - 1.0f / 16777216.0f;
  EXPECT_NEAR(exact_log(below) / std::log(static_cast<double>(below)), 1.0, 1e-6);
}

TEST(ExactMath, NormalVariablesHaveMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0, fourth = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = normal_from_unit((static_cast<float>(i) + 0.5f) / kDraws);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 1e-3);
  EXPECT_NEAR(squares / kDraws, 1.0, 2e-3);
  EXPECT_NEAR(fourth / kDraws, 3.0, 2e-2);
}

TEST(Noise, GumbelDrawsHaveTheirMeanAndVariance) {
  double sum = 0, squares = 0;
  constexpr int kDraws = 40000;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const double g = gumbel_from_bits(random_bits(1, 2, 3, Purpose::gumbel, i));
    sum += g;
    squares += g * g;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 0.5772, 0.02);
  EXPECT_NEAR(squares / kDraws - mean * mean, 1.6449, 0.05);
}

TEST(Noise, GammaVariablesHaveMeanAndVarianceOfTheirShape) {
  for (const float alpha : {0.2f, 0.83f, 1.67f, 20.0f}) {
    double sum = 0, squares = 0;
    constexpr int kDraws = 20000;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const double x = gamma_variable({7, i, 0}, 3, alpha);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean / alpha, 1.0, 0.06) << alpha;
    EXPECT_NEAR((squares / kDraws - mean * mean) / alpha, 1.0, 0.12) << alpha;
  }
}

TEST(Noise, DirichletNoiseCoversTheLegalMovesAndSumsToOne) {
  const float prior[6] = {0.5f, 0.0f, 0.3f, 0.0f, 0.15f, 0.05f};
  constexpr std::uint32_t kLegal = 0b110101;
  double mean[6] = {};
  constexpr int kDraws = 4000;
  for (std::uint32_t game = 0; game < kDraws; ++game) {
    float noise[6];
    shaped_dirichlet<6>({5, game, 9}, prior, kLegal, 10.0f, noise);
    double sum = 0;
    for (int e = 0; e < 6; ++e) {
      if (((kLegal >> e) & 1) == 0) {
        EXPECT_EQ(noise[e], 0.0f);
      } else {
        EXPECT_GT(noise[e], 0.0f);
      }
      sum += noise[e];
      mean[e] += noise[e] / kDraws;
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
    EXPECT_NE(noise[0], noise[2]);
    EXPECT_NE(noise[2], noise[4]);
  }
  // Shaped: moves above the mean of the logarithms get more than the others, and nobody less than half an even share.
  EXPECT_GT(mean[0], mean[5] + 0.05);
  EXPECT_NEAR(mean[0], mean[2], 0.02);  // both are capped at an even share
  EXPECT_NEAR(mean[5], 0.125, 0.02);
}

TEST(Noise, NoiseDependsOnGameAndPlyAlone) {
  const float prior[6] = {0.2f, 0.2f, 0.2f, 0.2f, 0.1f, 0.1f};
  float first[6], again[6], other[6];
  shaped_dirichlet<6>({5, 100, 9}, prior, 63, 10.0f, first);
  shaped_dirichlet<6>({5, 100, 9}, prior, 63, 10.0f, again);
  shaped_dirichlet<6>({5, 100, 10}, prior, 63, 10.0f, other);
  for (int e = 0; e < 6; ++e) EXPECT_EQ(first[e], again[e]);
  EXPECT_NE(first[0], other[0]);
}

}  // namespace
}  // namespace wari
