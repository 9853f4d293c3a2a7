#include "train/metrics.h"

#include <gmock/gmock.h>

namespace wari {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

IterationReport report() {
  IterationReport report;
  report.iteration = 3;
  report.step = 40;
  report.engine.simulations = 3000;
  report.engine.evaluations = 2000;
  report.engine.rows = 2500;
  report.games.games = 100;
  report.games.plies = 8000;
  report.games.south_wins = 50;
  report.games.north_wins = 40;
  report.games.draws = 10;
  report.games.distinct_openings = 90;
  report.seconds.selfplay = 2;
  report.seconds.training = 2;
  return report;
}

TEST(Metrics, RatesSharesAndCountsComeFromTheReport) {
  const auto line = metrics_line(report());
  EXPECT_EQ(line.at("iteration"), 3);
  EXPECT_DOUBLE_EQ(line.at("search").at("simulations_per_second"), 1500);
  EXPECT_DOUBLE_EQ(line.at("search").at("batch_fill"), 0.8);
  EXPECT_DOUBLE_EQ(line.at("games").at("mean_plies"), 80);
  EXPECT_DOUBLE_EQ(line.at("games").at("draw_share"), 0.1);
  EXPECT_DOUBLE_EQ(line.at("time").at("selfplay_share"), 0.5);
}

TEST(Metrics, WhatDoesNotExistIsNull) {
  const auto line = metrics_line(report());
  EXPECT_TRUE(line.at("elo").is_null());
  EXPECT_TRUE(line.at("training").at("policy_loss").is_null());
  EXPECT_TRUE(line.at("training").at("learning_rate").is_null());
  const auto empty = metrics_line({});
  EXPECT_TRUE(empty.at("games").at("mean_plies").is_null());
  EXPECT_TRUE(empty.at("time").at("training_share").is_null());
  EXPECT_EQ(empty.dump().find("nan"), std::string::npos);
}

TEST(Metrics, ScalarsAreTheNumbersUnderTheirGroup) {
  const auto scalars = metrics_scalars(metrics_line(report()));
  EXPECT_THAT(scalars, Contains(Pair("games/mean_plies", 80.0f)));
  for (const auto& [tag, value] : scalars) {
    EXPECT_NE(tag, "training/policy_loss");
    EXPECT_NE(tag, "iteration");
  }
}

TEST(Metrics, HealthyIterationGivesNoWarningAndSickOnesDo) {
  EXPECT_THAT(metrics_warnings(metrics_line(report())), IsEmpty());
  IterationReport sick = report();
  sick.games.distinct_openings = 3;
  sick.engine.evaluations = 100;
  sick.engine.bad_outputs = 7;
  sick.training.skipped_steps = 2;
  sick.training.samples = 100;  // of one predicted value: no spread
  const auto warnings = metrics_warnings(metrics_line(sick));
  EXPECT_THAT(warnings, Contains(HasSubstr("open differently")));
  EXPECT_THAT(warnings, Contains(HasSubstr("half full")));
  EXPECT_THAT(warnings, Contains(HasSubstr("not finite")));
  EXPECT_THAT(warnings, Contains(HasSubstr("not a number for 7 positions")));
  EXPECT_THAT(warnings, Contains(HasSubstr("value head")));
}

}  // namespace
}  // namespace wari
