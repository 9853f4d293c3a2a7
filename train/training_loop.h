#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/training_settings.h"

namespace wari {

struct TrainingRequest {
  TrainingSettings settings;                   // resolved
  std::filesystem::path run;                   // folder; made if missing, continued if it holds a run
  std::string from;                            // checkpoint whose weights a new run begins with; empty: random ones
  std::vector<std::filesystem::path> records;  // folders of game records to learn from instead of playing; empty: self-play
};

struct TrainingResult {
  nlohmann::ordered_json last_line;  // of metrics; null if no iteration was ever finished
  std::int64_t iterations_done = 0;  // by this call
  int stopped_by = 0;                // signal, or 0
};

// Trains until the configured end or a signal. A run that was stopped or killed at any instant goes on from its newest checkpoint as if nothing had happened.
TrainingResult run_training(const TrainingRequest& request);

}  // namespace wari
