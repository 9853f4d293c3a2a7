#include "train/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = fs::temp_directory_path() / ("wari_run_folder_" + std::to_string(::getpid()));
    fs::remove_all(base_);
    fs::create_directories(base_);
  }
  void TearDown() override { fs::remove_all(base_); }

  static void put(const fs::path& file, const std::string& text = "x") {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  template <class Action>
  static std::string message(Action action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "no error";
  }

  fs::path base_;
};

TEST_F(RunFolderTest, SecondProcessIsKeptOutAndTheRunIsNamed) {
  {
    const RunFolder first(base_ / "run");
    EXPECT_THAT(message([&] { RunFolder second(base_ / "run"); }), AllOf(HasSubstr("in use"), HasSubstr((base_ / "run").string())));
  }
  const RunFolder after(base_ / "run");  // the lock goes with its holder
}

TEST_F(RunFolderTest, FileOrForeignFolderIsNoRun) {
  put(base_ / "file");
  EXPECT_THAT(message([&] { RunFolder run(base_ / "file"); }), HasSubstr("'" + (base_ / "file").string() + "'"));
  put(base_ / "photos" / "holiday.jpg");
  EXPECT_THAT(message([&] { RunFolder run(base_ / "photos"); }), HasSubstr("is no run"));
  EXPECT_FALSE(fs::exists(base_ / "photos" / "lock")) << "a foreign folder is left as it was";
}

TEST_F(RunFolderTest, StartThatWasKilledBeforeItsConfigurationIsBegunAnew) {
  put(base_ / "run" / "lock", "");
  put(base_ / "run" / "config.yaml.tmp", "see");
  const RunFolder run(base_ / "run");
  EXPECT_FALSE(run.has_configuration());
}

TEST_F(RunFolderTest, OnlyThatWhichWasPublishedCountsAndWhatIsNewerIsMovedAside) {
  RunFolder run(base_ / "run");
  for (const char* name : {"000001", "000002"}) put(run.checkpoints() / name / "checkpoint.json");
  put(run.checkpoints() / "000003" / "weights.safetensors", "half");
  for (const char* name : {"000001.games", "000002.games", "000003.games", "000003.games.tmp"}) put(run.replay() / name);
  EXPECT_EQ(run.newest_checkpoint(), 2);
  EXPECT_THAT(run.set_aside_newer(2), testing::UnorderedElementsAre("checkpoints/000003", "replay/000003.games", "replay/000003.games.tmp"));
  EXPECT_FALSE(fs::exists(run.checkpoint(3)));
  EXPECT_EQ(read_whole_file(run.path() / "set-aside" / "000001" / "checkpoints" / "000003" / "weights.safetensors"), "half");
  EXPECT_TRUE(fs::exists(run.replay() / "000002.games"));
  EXPECT_THAT(run.set_aside_newer(2), IsEmpty());
}

TEST_F(RunFolderTest, MetricsHoldEachIterationOnceHoweverTheProcessStopped) {
  RunFolder run(base_ / "run");
  const auto line = [](int iteration) { return nlohmann::ordered_json{{"iteration", iteration}, {"step", 10 * iteration}}; };
  for (const int iteration : {1, 2, 3}) run.append_metrics(line(iteration));
  std::ofstream(run.metrics(), std::ios::app) << R"({"iteration": 4, "st)";  // cut off by a kill
  EXPECT_THAT(run.repair_metrics(2, {line(1), line(2)}), IsEmpty()) << "3 is newer than the checkpoint";
  EXPECT_EQ(read_whole_file(run.metrics()), line(1).dump() + "\n" + line(2).dump() + "\n");
  EXPECT_THAT(run.repair_metrics(3, {line(2), line(3)}), ElementsAre(3)) << "the kill came between the checkpoint and its line";
  EXPECT_EQ(read_whole_file(run.metrics()), line(1).dump() + "\n" + line(2).dump() + "\n" + line(3).dump() + "\n");
  fs::remove(run.metrics());
  EXPECT_THAT(run.repair_metrics(3, {line(2), line(3)}), ElementsAre(2, 3));
}

TEST(RunConfiguration, ChangesOfLearningAreRefusedAndListed) {
  const ConfigValues saved = {{"seed", "1"}, {"selfplay.simulations", "32"}, {"network.width", "64"}};
  try {
    compare_configurations(saved, {{"seed", "2"}, {"selfplay.simulations", "9"}, {"network.width", "64"}}, "runs/a");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("seed (1, now 2)"), HasSubstr("selfplay.simulations (32, now 9)"), HasSubstr("runs/a"), Not(HasSubstr("width"))));
  }
}

TEST(RunConfiguration, LengthPlaceLanesLearningRateAndEvaluationMayChange) {
  const ConfigValues saved = {{"iterations", "6"},       {"max_minutes", "0"},     {"device", "auto"},
                              {"workers", "1"},          {"selfplay.lanes", "64"}, {"trainer.learning_rate", "0.005"},
                              {"evaluation.every", "0"}, {"checkpoints.keep", "3"}};
  ConfigValues wanted = saved;
  for (auto& [key, value] : wanted) value += "1";
  EXPECT_EQ(compare_configurations(saved, wanted, "runs/a").size(), saved.size());
  for (const char* key : {"seed", "rules", "iteration_waves", "selfplay.simulations", "trainer.batch", "replay.reuse", "network.kind"})
    EXPECT_FALSE(may_change(key)) << key;
}

}  // namespace
}  // namespace wari
