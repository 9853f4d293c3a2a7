#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "train/training_loop.h"

// Runs of a second or less, for the tests of the loop.
namespace wari {

inline TrainingSettings tiny_settings(const std::string& rules = "abapa,seeds_per_pit=2") {
  const std::string text =
      "workers: 1\niterations: 3\niteration_waves: 300\n"
      "selfplay: {lanes: 48, simulations: 4, opening_plies_max: 4}\n"
      "network: {kind: mlp, width: 16, blocks: 1}\n"
      "trainer: {batch: 128, learning_rate: 0.01, warmup_steps: 10, schedule_steps: 1000}\n"
      "replay: {min_positions: 200, window_min: 5000, window_max: 20000, reuse: 1.0}\n"
      "evaluation: {every: 0}\n";
  TrainingSettings settings;
  load_config(settings, ConfigSource::from_text(text + "rules: \"" + rules + "\"\n", "tiny.yaml"));
  resolve_settings(settings);
  return settings;
}

class TrainingRuns : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::error);
    base_ = std::filesystem::temp_directory_path() / ("wari_runs_" + std::to_string(::getpid()));
    std::filesystem::remove_all(base_);
    std::filesystem::create_directories(base_);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  TrainingResult train(const TrainingSettings& settings, const std::string& name) { return run_training({settings, base_ / name, "", {}}); }

  // What must be equal at the end of equal runs: the newest checkpoint's name, weights and optimiser.
  std::vector<std::string> outcome(const std::string& name) const {
    const auto newest = newest_checkpoint(name);
    return {newest.filename().string(), read_whole_file(newest / "weights.safetensors"), read_whole_file(newest / "optimizer.safetensors")};
  }

  std::filesystem::path newest_checkpoint(const std::string& name) const {
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator(base_ / name / "checkpoints")) {
      if (std::filesystem::exists(entry.path() / "checkpoint.json") && entry.path() > newest) newest = entry.path();
    }
    return newest;
  }

  std::vector<nlohmann::json> metrics(const std::string& name) const {
    std::vector<nlohmann::json> lines;
    std::istringstream text(read_whole_file(base_ / name / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  std::vector<int> iterations(const std::string& name) const {
    std::vector<int> numbers;
    for (const auto& line : metrics(name)) numbers.push_back(line.at("iteration").get<int>());
    return numbers;
  }

  // Every file of a run but the lock, with its contents: to see that nothing was changed.
  std::vector<std::pair<std::string, std::string>> files(const std::string& name) const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base_ / name)) {
      if (entry.is_regular_file()) all.emplace_back(entry.path().string(), read_whole_file(entry.path()));
    }
    std::sort(all.begin(), all.end());
    return all;
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

  std::filesystem::path base_;
};

}  // namespace wari
