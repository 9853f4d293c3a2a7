#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/run_wari.h"

// endgame and evaluate as a person runs them.
namespace wari {
namespace {

using testing::HasSubstr;

const std::string kConfig = std::string(WARI_SOURCE_DIR) + "/configs/smoke.yaml";

void expect_refused(const std::vector<std::string>& arguments, const std::string& said) {
  const Ran ran = run_wari(arguments);
  EXPECT_EQ(ran.status, 2) << said << ": " << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, testing::StartsWith("wari: "));
  EXPECT_THAT(ran.err, HasSubstr(said));
}

class EndgameCommands : public testing::Test {
 protected:
  std::string built(const std::string& rules, int seeds) {
    const std::string file = folder_.path() + "/" + rules + ".table";
    const Ran ran = run_wari({"endgame", "build", "--rules", rules, "--seeds", std::to_string(seeds), "--out", file});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return file;
  }
  TestFolder folder_;
};

TEST_F(EndgameCommands, BuildStatsAndProbeAnswerInJson) {
  const std::string file = folder_.path() + "/a.table";
  const Ran build = run_wari({"endgame", "build", "--rules", "abapa", "--seeds", "6", "--out", file, "--json"});
  ASSERT_EQ(build.status, 0) << build.err;
  const auto made = nlohmann::json::parse(build.out);
  EXPECT_EQ(made.at("seeds"), 6);
  EXPECT_EQ(made.at("positions"), 18564);
  EXPECT_TRUE(made.at("seconds").is_number());
  const auto stats = nlohmann::json::parse(run_wari({"endgame", "stats", file, "--json"}).out);
  EXPECT_EQ(stats.at("rules"), "abapa");
  EXPECT_EQ(stats.at("counts").size(), 6u);
  EXPECT_EQ(stats.at("counts")[4].at("win"), 2161);
  EXPECT_EQ(stats.at("counts")[4].at("draw"), 0);
  EXPECT_EQ(stats.at("counts")[4].at("loss"), 2207);
  EXPECT_NEAR(stats.at("counts")[4].at("exact_share").get<double>(), 0.9364, 0.00005);
  const auto probe = nlohmann::json::parse(run_wari({"endgame", "probe", file, "--position", "0-0-0-0-0-1-1-1-0-0-0-0-23-22-S", "--json"}).out);
  EXPECT_EQ(probe.at("value"), 1);
  EXPECT_EQ(probe.at("exact"), true);
  EXPECT_EQ(probe.at("moves").size(), 1u);
  EXPECT_EQ(probe.at("moves")[0].at("move"), "F");
  EXPECT_EQ(nlohmann::json::parse(run_wari({"endgame", "verify", file, "--json"}).out).at("ok"), true);
}

TEST_F(EndgameCommands, ADamagedTableFailsTheCheckAndIsNoInput) {
  const std::string file = built("abapa", 5);
  std::stringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  std::string wrong = bytes.str();
  wrong[wrong.size() * 2 / 3] ^= 4;
  const std::string spoiled = folder_.file("spoiled.table", wrong);
  const Ran verify = run_wari({"endgame", "verify", spoiled, "--json"});
  EXPECT_EQ(verify.status, 1);
  EXPECT_EQ(nlohmann::json::parse(verify.out).at("ok"), false);
  EXPECT_THAT(verify.err, HasSubstr("damaged in its values of 5 seeds"));
  expect_refused({"endgame", "stats", spoiled}, "damaged");
  expect_refused({"endgame", "verify", folder_.path() + "/none.table"}, "none.table");
  expect_refused({"endgame", "build", "--rules", "abapa", "--seeds", "6", "--out", spoiled}, "damaged");
}

TEST_F(EndgameCommands, WrongUseIsSaidInALine) {
  const std::string file = built("abapa", 4);
  expect_refused({"endgame", "build", "--rules", "relay", "--seeds", "4", "--out", folder_.path() + "/r.table"}, "single lap");
  expect_refused({"endgame", "build", "--rules", "abapa", "--seeds", "99", "--out", folder_.path() + "/r.table"}, "'99'");
  expect_refused({"endgame", "build", "--rules", "warri", "--seeds", "4", "--out", file}, "not for 'warri'");
  expect_refused({"endgame", "probe", file, "--position", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"}, "48 seeds on the board");
  expect_refused({"endgame", "probe", file, "--position", "nonsense"}, "'nonsense'");
  expect_refused({"endgame"}, "a command is missing");
  expect_refused({"analyze", "--rules", "warri", "--table", file, "--visits", "10"}, "is for 'abapa'");
  expect_refused({"match", "--a", "search:checkpoint=" + folder_.path() + ",table=" + folder_.path() + "/none", "--b", "random", "--games", "2"}, "none");
}

TEST_F(EndgameCommands, AnAnalysisWithATableIsExactWhereTheTableIs) {
  const std::string file = built("abapa", 6);
  // F captures two of three seeds; what is left is North's, and the table knows it: 24 to 24.
  const Ran ran = run_wari({"analyze", "--rules", "abapa", "--table", file, "--position", "0-0-0-0-0-1-1-1-0-0-0-0-22-23-S", "--visits", "20", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto analysis = nlohmann::json::parse(ran.out);
  EXPECT_EQ(analysis.at("proven"), true);
  EXPECT_EQ(analysis.at("value"), 0);
  EXPECT_EQ(analysis.at("wdl")[1], 1);
  EXPECT_EQ(analysis.at("margin"), 0);
}

TEST_F(EndgameCommands, EvaluateTellsHowOftenTheMoveIsPerfect) {
  const std::string run = folder_.path() + "/run", table = built("abapa", 9), picture = folder_.path() + "/truth.svg";
  const Ran trained = run_wari({"train", "--config", kConfig, "--run", run, "--set", "iterations=1", "--set", "iteration_waves=400", "--set", "selfplay.endgame.seeds=7", "--set", "evaluation.every=0"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Ran ran = run_wari({"evaluate", "--checkpoint", run, "--table", table, "--budgets", "0,8", "--positions", "20", "--picture", picture, "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto report = nlohmann::json::parse(ran.out);
  ASSERT_EQ(report.at("results").size(), 4u);  // 8 and 9 seeds: training looked up seven
  for (const auto& result : report.at("results")) {
    EXPECT_GE(result.at("seeds"), 8);
    EXPECT_EQ(result.at("positions"), 20);
    EXPECT_TRUE(result.at("budget") == 0 || result.at("budget") == 8);
    EXPECT_GT(result.at("error_95"), 0.0);
    EXPECT_TRUE(result.at("optimal_share").is_number() && result.at("mean_seeds_lost").is_number());
  }
  EXPECT_EQ(report.at("calibration").size(), 10u);
  EXPECT_TRUE(std::filesystem::exists(picture));
  expect_refused({"evaluate", "--checkpoint", run, "--table", table, "--budgets", "0,x"}, "'x'");
  expect_refused({"evaluate", "--checkpoint", run, "--table", table, "--budgets", "8,8"}, "'8'");
  expect_refused({"evaluate", "--checkpoint", run, "--table", table, "--rules", "warri"}, "'warri'");
  const Ran small = run_wari({"endgame", "build", "--seeds", "7", "--out", folder_.path() + "/small.table"});
  ASSERT_EQ(small.status, 0);
  expect_refused({"evaluate", "--checkpoint", run, "--table", folder_.path() + "/small.table"}, "too small to tell");
}

}  // namespace
}  // namespace wari
