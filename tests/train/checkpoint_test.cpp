#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/durable_file.h"
#include "core/error.h"
#include "search/evaluator.h"
#include "tests/train/training_samples.h"
#include "train/checkpoint.h"
#include "train/checkpoint_evaluator.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles() {
    run_ = fs::path(testing::TempDir()) / ("wari_checkpoint_" + std::to_string(::getpid()) + "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(run_);
    trainer_.step(random_samples(rules_, 64, 1), {&rules_, 1});
  }
  ~CheckpointFiles() override { fs::remove_all(run_); }

  CheckpointInfo info(std::int64_t iteration) const {
    CheckpointInfo info;
    info.run_id = "some-run";
    info.rules = {{rules_, 2}, {parse_rules("warri,laps=two"), 1}};
    info.network = trainer_.layout().settings();
    info.iteration = iteration;
    info.step = trainer_.steps();
    info.loop["games"] = 17;
    return info;
  }
  fs::path write(std::int64_t iteration) {
    const fs::path folder = checkpoint_folder(run_, iteration);
    const std::string lanes = "lanes in flight";
    write_checkpoint(folder, info(iteration), trainer_.save(), std::as_bytes(std::span(lanes.data(), lanes.size())));
    return folder;
  }
  static void overwrite(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes; }
  template <class Action>
  static std::string refusal(Action action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "accepted";
  }

  Rules rules_ = parse_rules("abapa");
  Trainer trainer_{{TrunkKind::mlp, 16, 1}, {}, 1, 3};
  fs::path run_;
};

TEST_F(CheckpointFiles, EverythingComesBackAsItWas) {
  const fs::path folder = write(3);
  const Checkpoint read = read_checkpoint(folder);
  EXPECT_EQ(read.info.run_id, "some-run");
  EXPECT_EQ(read.info.rules, info(3).rules);
  EXPECT_EQ(read.info.network, info(3).network);
  EXPECT_EQ(read.info.iteration, 3);
  EXPECT_EQ(read.info.step, 1);
  EXPECT_EQ(read.info.loop.at("games"), 17);
  EXPECT_EQ(read.info.hashes.size(), 3u);
  EXPECT_EQ(read.state.weights.bytes(), trainer_.save().weights.bytes());
  EXPECT_EQ(read.state.optimizer.bytes(), trainer_.save().optimizer.bytes());
  EXPECT_EQ(read.lanes.size(), std::string("lanes in flight").size());
  EXPECT_NO_THROW(verify_checkpoint(folder, read.info));
}

TEST_F(CheckpointFiles, AnyFlippedBitOrTruncationIsRefusedByNameAndNothingIsDeleted) {
  const fs::path folder = write(1);
  for (const std::string name : {"weights.safetensors", "optimizer.safetensors", "lanes.bin", "checkpoint.json"}) {
    const std::string good = read_whole_file(folder / name);
    for (const double place : {0.0, 0.3, 0.9, 0.999}) {
      std::string bad = good;
      bad[static_cast<std::size_t>(place * static_cast<double>(bad.size()))] ^= 1;
      overwrite(folder / name, bad);
      EXPECT_NE(refusal([&] { read_checkpoint(folder); }).find(name), std::string::npos) << name << " at " << place;
      EXPECT_EQ(read_whole_file(folder / name), bad);
    }
    for (const std::string& bad : {good.substr(0, good.size() - 7), std::string(), std::string("<html>404</html>")}) {
      overwrite(folder / name, bad);
      EXPECT_NE(refusal([&] { read_checkpoint(folder); }).find(name), std::string::npos) << name;
    }
    overwrite(folder / name, good);
    EXPECT_NO_THROW(read_checkpoint(folder));
  }
}

TEST_F(CheckpointFiles, PlayersRefuseDamagedWeightsButNeedNoOptimizer) {
  const fs::path folder = write(1);
  fs::remove(folder / "optimizer.safetensors");
  EXPECT_NO_THROW(read_checkpoint_weights(folder));
  std::string bytes = read_whole_file(folder / "weights.safetensors");
  bytes[bytes.size() - 9] ^= 1;
  overwrite(folder / "weights.safetensors", bytes);
  EXPECT_NE(refusal([&] { load_checkpoint_evaluator(run_); }).find("weights.safetensors"), std::string::npos);
}

TEST_F(CheckpointFiles, NewerFormatsAreRefusedWithTheirNumber) {
  const fs::path folder = write(1);
  std::string text = read_whole_file(folder / "checkpoint.json");
  const std::string field = "\"format\": 1";
  text.replace(text.find(field), field.size(), "\"format\": 7");
  overwrite(folder / "checkpoint.json", text);
  EXPECT_NE(refusal([&] { read_checkpoint_info(folder); }).find("format 7"), std::string::npos);
}

TEST_F(CheckpointFiles, AFolderWithoutItsDescriptionIsNoCheckpoint) {
  write(1);
  const fs::path torn = checkpoint_folder(run_, 2);
  fs::create_directories(torn);
  overwrite(torn / "weights.safetensors", "half of it");
  EXPECT_EQ(list_checkpoints(run_), std::vector<fs::path>{checkpoint_folder(run_, 1)});
  EXPECT_EQ(resolve_checkpoint(run_.string()), checkpoint_folder(run_, 1));
  EXPECT_NE(refusal([&] { read_checkpoint(torn); }).find("checkpoint.json"), std::string::npos);
}

TEST_F(CheckpointFiles, KilledAtAnyMomentASaveLeavesWholeCheckpointsOnly) {
  constexpr int kKills = 25;
  const TrainerState state = trainer_.save();
  const auto start = std::chrono::steady_clock::now();
  write(1);
  const double save_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  std::int64_t published = 1;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (std::int64_t iteration = published + 1;; ++iteration) write_checkpoint(checkpoint_folder(run_, iteration), info(iteration), state, {});
    }
    ::usleep(static_cast<useconds_t>(2 * save_us * static_cast<double>(random_unit(random_bits(1, static_cast<std::uint64_t>(kill_number), 0, Purpose::test, 0)))));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::vector<fs::path> checkpoints = list_checkpoints(run_);
    for (const fs::path& folder : checkpoints) EXPECT_NO_THROW(read_checkpoint(folder)) << folder;
    if (!checkpoints.empty()) published = read_checkpoint_info(checkpoints.back()).iteration;
    EXPECT_EQ(static_cast<std::int64_t>(checkpoints.size()), published);
  }
  EXPECT_GT(published, 1);
}

TEST_F(CheckpointFiles, PathsNameAFolderARunOrItsBest) {
  for (const std::int64_t iteration : {9, 10, 1000000}) write(iteration);
  EXPECT_EQ(resolve_checkpoint(run_.string()), checkpoint_folder(run_, 1000000));
  EXPECT_EQ(resolve_checkpoint(checkpoint_folder(run_, 9).string()), checkpoint_folder(run_, 9));
  EXPECT_EQ(resolve_checkpoint(run_.string() + "@best"), checkpoint_folder(run_, 1000000));  // none was evaluated
  for (const auto& [iteration, elo] : {std::pair{9, 120.5}, std::pair{10, 80.0}}) {
    CheckpointInfo evaluated = read_checkpoint_info(checkpoint_folder(run_, iteration));
    evaluated.loop["elo"] = elo;
    update_checkpoint_info(checkpoint_folder(run_, iteration), evaluated);
  }
  EXPECT_EQ(resolve_checkpoint(run_.string() + "@best"), checkpoint_folder(run_, 9));
  // A later evaluation rates both together, and now knows better.
  CheckpointInfo later = read_checkpoint_info(checkpoint_folder(run_, 10));
  later.loop["elo_of_iterations"] = {{"9", 70.0}, {"10", 95.0}};
  update_checkpoint_info(checkpoint_folder(run_, 10), later);
  EXPECT_EQ(resolve_checkpoint(run_.string() + "@best"), checkpoint_folder(run_, 10));
  EXPECT_NO_THROW(verify_checkpoint(checkpoint_folder(run_, 9), read_checkpoint_info(checkpoint_folder(run_, 9))));
  EXPECT_NE(refusal([&] { resolve_checkpoint("no/such"); }).find("'no/such'"), std::string::npos);
  const fs::path file = checkpoint_folder(run_, 9) / "weights.safetensors";
  EXPECT_NE(refusal([&] { resolve_checkpoint(file.string()); }).find("single file"), std::string::npos);
}

TEST_F(CheckpointFiles, DifferencesAreListedSavedAgainstConfigured) {
  const CheckpointInfo saved = info(1);
  EXPECT_TRUE(checkpoint_differences(saved, saved.network, saved.rules).empty());
  const std::vector<std::pair<Rules, int>> other = {{parse_rules("awari"), 1}};
  const std::vector<std::string> differences = checkpoint_differences(saved, {TrunkKind::conv, 16, 4}, other);
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0], "network.kind: saved mlp, configured conv");
  EXPECT_EQ(differences[1], "network.blocks: saved 1, configured 4");
  EXPECT_NE(differences[2].find("abapa x 2"), std::string::npos) << differences[2];
  EXPECT_NE(differences[2].find("configured awari"), std::string::npos) << differences[2];
}

TEST_F(CheckpointFiles, RulesThatWereNotTrainedOnGiveALine) {
  write(1);
  EXPECT_EQ(checkpoint_rules_note(run_, rules_), "");
  EXPECT_NE(checkpoint_rules_note(run_, parse_rules("awari")).find("what it says under 'awari' is a guess"), std::string::npos);
}

TEST_F(CheckpointFiles, TheEvaluatorPlaysTheAveragedWeights) {
  write(1);
  const std::unique_ptr<Evaluator> evaluator = load_checkpoint_evaluator(run_, {"float32", true, {}});
  const Position position = start_position(rules_);
  const std::uint16_t quiet = 0;
  const std::uint8_t index = 0;
  Token tokens[kBoardTokens];
  encode_board(sowing_tables(), rules_, position, 0, tokens);
  EvaluationBatch batch;
  batch.rows = 1;
  batch.positions = &position;
  batch.quiet_plies = &quiet;
  batch.rules_index = &index;
  batch.rules = {&rules_, 1};
  batch.board_tokens = tokens;
  float averaged[kOutputs], raw[kOutputs];
  evaluator->evaluate(batch, averaged);
  load_checkpoint_evaluator(run_, {"float32", false, {}})->evaluate(batch, raw);
  EXPECT_NE(averaged[0], raw[0]);
  EXPECT_THROW(load_checkpoint_evaluator(run_, {"int4", true, {}}), Error);
}

}  // namespace
}  // namespace wari
