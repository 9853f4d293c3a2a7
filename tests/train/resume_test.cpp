#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "tests/train/killed_run.h"
#include "tests/train/training_runs.h"

// A run that is stopped, killed, extended or spoiled.
namespace wari {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Resume : public TrainingRuns {};

TEST_F(Resume, OneIterationAndThenTwoMoreIsThree) {
  train(tiny_settings(), "whole");
  TrainingSettings first = tiny_settings();
  first.iterations = 1;
  train(first, "parts");
  EXPECT_NE(outcome("parts"), outcome("whole"));
  train(tiny_settings(), "parts");
  EXPECT_EQ(outcome("parts"), outcome("whole"));
  EXPECT_THAT(iterations("parts"), ElementsAre(1, 2, 3));
}

TEST_F(Resume, StopRequestLosesNothingThatIsPublished) {
  train(tiny_settings(), "whole");
  int stops = 0;
  for (int delay_ms = 5; delay_ms < 4000; delay_ms = delay_ms * 3 / 2) {
    std::thread later([delay_ms] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
      ::kill(::getpid(), SIGTERM);
    });
    struct sigaction ignore {
    }, before;  // a signal that comes after the run has ended must not end the tests
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGTERM, &ignore, &before);
    const TrainingResult result = train(tiny_settings(), "stopped");
    later.join();
    ::sigaction(SIGTERM, &before, nullptr);
    if (result.stopped_by == 0) break;
    EXPECT_EQ(result.stopped_by, SIGTERM);
    ++stops;
  }
  train(tiny_settings(), "stopped");
  EXPECT_GE(stops, 2);
  EXPECT_EQ(outcome("stopped"), outcome("whole"));
  EXPECT_THAT(iterations("stopped"), ElementsAre(1, 2, 3));
}

// Not a test of its own: the next one runs it in a process that it can kill.
TEST(ResumeProcess, TrainsTheRunThatTheEnvironmentNames) {
  const char* run = std::getenv("WARI_TEST_RUN");
  if (run == nullptr) GTEST_SKIP() << "run by Resume.KilledAtAnyInstantEndsWithTheSameBits";
  set_log_level(LogLevel::error);
  run_training({tiny_settings(), run, "", {}});
}

TEST_F(Resume, KilledAtAnyInstantEndsWithTheSameBits) {
  const auto start = std::chrono::steady_clock::now();
  train(tiny_settings(), "whole");
  const double whole_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const int kills = kill_until_done("ResumeProcess.*", base_ / "killed", whole_ms);
  EXPECT_GE(kills, 3);
  EXPECT_EQ(outcome("killed"), outcome("whole"));
  EXPECT_THAT(iterations("killed"), ElementsAre(1, 2, 3));
}

// Room for two shards, of some 40 KB; without the bound the window would hold four.
TrainingSettings bounded_settings() {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 5;
  settings.checkpoints.keep = 2;
  settings.replay.disk_max_mb = 0.1;
  return settings;
}

TEST(ResumeBoundedProcess, TrainsTheRunThatTheEnvironmentNames) {
  const char* run = std::getenv("WARI_TEST_RUN");
  if (run == nullptr) GTEST_SKIP() << "run by Resume.ARunBoundedOnDiskEndsWithTheSameBits";
  set_log_level(LogLevel::error);
  run_training({bounded_settings(), run, "", {}});
}

TEST_F(Resume, ARunBoundedOnDiskEndsWithTheSameBits) {
  const auto start = std::chrono::steady_clock::now();
  train(bounded_settings(), "whole");
  const double whole_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const auto shards = [this](const std::string& run) {
    std::map<std::string, std::uintmax_t> found;
    for (const auto& entry : fs::directory_iterator(base_ / run / "replay")) found[entry.path().filename().string()] = entry.file_size();
    return found;
  };
  EXPECT_EQ(shards("whole").size(), 3u) << "the window's two, and one more that the checkpoint before needs";
  EXPECT_GE(kill_until_done("ResumeBoundedProcess.*", base_ / "killed", whole_ms), 3);
  EXPECT_EQ(outcome("killed"), outcome("whole"));
  EXPECT_EQ(shards("killed"), shards("whole"));
  // From the checkpoint before, whose shards are still there.
  fs::rename(newest_checkpoint("whole"), base_ / "elsewhere");
  train(bounded_settings(), "whole");
  EXPECT_EQ(outcome("killed"), outcome("whole"));
  TrainingSettings free = bounded_settings();
  free.replay.disk_max_mb = 0;
  train(free, "free");
  EXPECT_NE(outcome("free"), outcome("whole")) << "the bound changed nothing";
}

TEST_F(Resume, NothingIsLeftToDoAndNothingChanges) {
  train(tiny_settings(), "run");
  const auto before = files("run");
  const TrainingResult again = train(tiny_settings(), "run");
  EXPECT_EQ(again.iterations_done, 0);
  EXPECT_EQ(again.last_line.at("iteration"), 3);
  EXPECT_EQ(files("run"), before);
}

TEST_F(Resume, AnotherConfigurationIsRefusedAndTheKeysAreListed) {
  train(tiny_settings(), "run");
  const auto before = files("run");
  TrainingSettings other = tiny_settings();
  other.selfplay.play.simulations = 9;
  other.network.width = 32;
  EXPECT_THAT(message([&] { train(other, "run"); }), AllOf(HasSubstr("selfplay.simulations (4, now 9)"), HasSubstr("network.width")));
  EXPECT_EQ(files("run"), before);
}

TEST_F(Resume, DamagedCheckpointIsRefusedByNameAndNothingIsDeleted) {
  train(tiny_settings(), "run");
  const fs::path weights = newest_checkpoint("run") / "weights.safetensors";
  const std::string whole = read_whole_file(weights);
  std::string flipped = whole;
  flipped[flipped.size() - 9] = static_cast<char>(flipped[flipped.size() - 9] ^ 1);
  TrainingSettings longer = tiny_settings();
  longer.iterations = 4;
  for (const std::string& spoiled : {whole.substr(0, whole.size() - 7), flipped}) {
    std::ofstream(weights, std::ios::binary) << spoiled;
    const auto before = files("run");
    EXPECT_THAT(message([&] { train(longer, "run"); }), HasSubstr("weights.safetensors"));
    EXPECT_THAT(message([&] { train(tiny_settings(), "run"); }), HasSubstr("weights.safetensors")) << "also when nothing is left to do";
    EXPECT_EQ(files("run"), before);
  }
  std::ofstream(weights, std::ios::binary) << whole;
  EXPECT_EQ(train(longer, "run").iterations_done, 1);
}

TEST_F(Resume, GarbageForStateIsSaidSo) {
  train(tiny_settings(), "run");
  const fs::path info = newest_checkpoint("run") / "checkpoint.json";
  for (const char* text : {"", "<html>", "{}"}) {
    std::ofstream(info, std::ios::trunc) << text;
    EXPECT_THAT(message([&] { train(tiny_settings(), "run"); }), HasSubstr("checkpoint.json")) << text;
  }
}

TEST_F(Resume, NewestCheckpointMovedAwayGoesOnFromTheOneBefore) {
  train(tiny_settings(), "run");
  const auto whole = outcome("run");
  fs::rename(newest_checkpoint("run"), base_ / "elsewhere");
  train(tiny_settings(), "run");
  EXPECT_EQ(outcome("run"), whole);
  EXPECT_THAT(iterations("run"), ElementsAre(1, 2, 3));
}

TEST_F(Resume, LostCheckpointsAreSaidAndTheRunIsNotBegunAgain) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 1;
  train(settings, "run");
  fs::rename(base_ / "run" / "checkpoints", base_ / "elsewhere");
  const auto before = files("run");
  EXPECT_THAT(message([&] { train(settings, "run"); }), AllOf(HasSubstr("checkpoints are missing"), HasSubstr((base_ / "run" / "checkpoints").string())));
  EXPECT_EQ(files("run"), before);
  fs::rename(base_ / "elsewhere", base_ / "run" / "checkpoints");
  EXPECT_EQ(train(settings, "run").iterations_done, 0);
  // Before the first checkpoint there are no metrics: such a run begins.
  fs::create_directories(base_ / "killed" / "checkpoints");
  fs::copy_file(base_ / "run" / "config.yaml", base_ / "killed" / "config.yaml");
  std::ofstream(base_ / "killed" / "metrics.jsonl") << "";
  EXPECT_EQ(train(settings, "killed").iterations_done, 1);
}

TEST_F(Resume, OtherLanesAndWorkersAreTakenAndTheDroppedGamesCounted) {
  train(tiny_settings(), "run");
  TrainingSettings wider = tiny_settings();
  wider.iterations = 5;
  wider.selfplay.lanes = 80;
  wider.workers = 2;
  EXPECT_EQ(train(wider, "run").iterations_done, 2);
  EXPECT_THAT(iterations("run"), ElementsAre(1, 2, 3, 4, 5));
  const auto counters = nlohmann::json::parse(read_whole_file(newest_checkpoint("run") / "checkpoint.json")).at("loop").at("counters");
  EXPECT_EQ(counters.at("dropped_games"), 48);
  EXPECT_THAT(counters.at("changes").dump(), AllOf(HasSubstr("selfplay.lanes: 48 -> 80"), HasSubstr("workers: 1 -> 2"), HasSubstr("iterations: 3 -> 5")));
}

}  // namespace
}  // namespace wari
