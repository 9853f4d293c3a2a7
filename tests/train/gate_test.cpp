#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>

#include "tests/train/killed_run.h"
#include "tests/train/training_runs.h"

// Which networks play the games of a run.
namespace wari {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TrainingSettings gated(double score, int every = 1) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 4;
  settings.checkpoints.keep = 1;
  settings.evaluation.visits = 4;
  settings.evaluation.gate.rule = GateRule::score;
  settings.evaluation.gate.games = 10;
  settings.evaluation.gate.score = score;
  settings.evaluation.gate.every = every;
  return settings;
}

class Gate : public TrainingRuns {
 protected:
  std::int64_t accepted(const std::string& name) const {
    return nlohmann::json::parse(read_whole_file(newest_checkpoint(name) / "checkpoint.json")).at("loop").at("counters").at("accepted").get<std::int64_t>();
  }
};

TEST_F(Gate, AnOpenOneIsAsIfThereWereNone) {
  TrainingSettings off = gated(0);
  off.evaluation.gate.rule = GateRule::none;
  train(off, "off");
  train(gated(0), "open");
  EXPECT_EQ(outcome("open"), outcome("off"));
  EXPECT_EQ(accepted("off"), 0);
  EXPECT_EQ(accepted("open"), 4);
  EXPECT_TRUE(metrics("off").back().at("gate").is_null());
  const auto line = metrics("open").back().at("gate");
  EXPECT_EQ(line.at("accepted"), 1);
  EXPECT_EQ(line.at("against"), 3);
  EXPECT_EQ(line.at("games"), 10);
}

TEST_F(Gate, BehindAClosedOneTheFirstNetworkPlaysOnAndItsCheckpointStays) {
  train(gated(0), "open");
  train(gated(1), "closed");
  EXPECT_NE(outcome("closed"), outcome("open"));
  const std::int64_t first = accepted("closed");
  int rejected = 0;
  for (const auto& line : metrics("closed")) {
    if (line.at("gate").is_null()) continue;
    if (line.at("iteration") == first) {
      EXPECT_TRUE(line.at("gate").at("against").is_null());
      EXPECT_EQ(line.at("gate").at("games"), 0);
      continue;
    }
    EXPECT_EQ(line.at("gate").at("accepted"), 0);
    EXPECT_EQ(line.at("gate").at("against"), first);
    ++rejected;
  }
  EXPECT_GE(rejected, 2);
  EXPECT_TRUE(fs::exists(base_ / "closed" / "checkpoints" / ("00000" + std::to_string(first)) / "checkpoint.json"));
}

TEST_F(Gate, StoppedAfterEachIterationItEndsTheSame) {
  for (double score : {0.5, 1.0}) {
    const std::string whole = "whole" + std::to_string(score), parts = "parts" + std::to_string(score);
    train(gated(score, 2), whole);
    for (int iterations = 1; iterations <= 4; ++iterations) {
      TrainingSettings some = gated(score, 2);
      some.iterations = iterations;
      train(some, parts);
    }
    EXPECT_EQ(outcome(parts), outcome(whole)) << score;
    EXPECT_EQ(accepted(parts), accepted(whole)) << score;
  }
}

// Not a test of its own: the next one runs it in a process that it can kill.
TEST(GateProcess, TrainsTheRunThatTheEnvironmentNames) {
  const char* run = std::getenv("WARI_TEST_RUN");
  if (run == nullptr) GTEST_SKIP() << "run by Gate.KilledAtAnyInstantEndsWithTheSameBits";
  set_log_level(LogLevel::error);
  run_training({gated(0.6), run, "", {}});
}

TEST_F(Gate, KilledAtAnyInstantEndsWithTheSameBits) {
  const auto start = std::chrono::steady_clock::now();
  train(gated(0.6), "whole");
  const double whole_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(kill_until_done("GateProcess.*", base_ / "killed", whole_ms), 3);
  EXPECT_EQ(outcome("killed"), outcome("whole"));
  EXPECT_EQ(accepted("killed"), accepted("whole"));
}

// The first network plays until the fourth is accepted; the third checkpoint still needs it.
TEST_F(Gate, TheNewestCheckpointMovedAwayGoesOnFromTheOneBefore) {
  TrainingSettings settings = gated(0, 4);
  settings.checkpoints.keep = 2;
  train(settings, "run");
  EXPECT_EQ(accepted("run"), 4);
  const auto whole = outcome("run");
  fs::rename(newest_checkpoint("run"), base_ / "elsewhere");
  EXPECT_LT(accepted("run"), 3);
  train(settings, "run");
  EXPECT_EQ(outcome("run"), whole);
}

TEST_F(Gate, MayBeTakenAwayAndPutBackWhenARunIsContinued) {
  TrainingSettings settings = gated(1);
  settings.iterations = 3;
  train(settings, "run");
  const std::int64_t first = accepted("run");
  EXPECT_LT(first, 3);
  settings.iterations = 4;
  settings.evaluation.gate.rule = GateRule::none;
  train(settings, "run");
  EXPECT_EQ(accepted("run"), 0);
  settings.iterations = 5;
  settings.evaluation.gate.rule = GateRule::sprt;
  train(settings, "run");
  EXPECT_EQ(accepted("run"), 5);  // nobody to lose to
}

TEST_F(Gate, SettingsThatMakeNoTestAreRefusedEarly) {
  TrainingSettings odd = gated(0.5);
  odd.evaluation.gate.games = 5;
  EXPECT_THAT(message([&] { resolve_settings(odd); }), HasSubstr("evaluation.gate.games"));
  TrainingSettings reversed = gated(0.5);
  reversed.evaluation.gate.rule = GateRule::sprt;
  reversed.evaluation.gate.elo0 = 30;
  EXPECT_THAT(message([&] { resolve_settings(reversed); }), HasSubstr("evaluation.gate.elo1"));
}

}  // namespace
}  // namespace wari
