#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/rules.h"
#include "search/evaluator.h"

// A checkpoint as a player uses it. No Torch.
namespace wari {

struct CheckpointEvaluatorSettings {
  std::string precision = "auto";   // auto, float32, int8
  bool averaged = true;             // the averaged weights play
  std::vector<Rules> rules;         // rule sets to be played; empty: those trained on
};

// `path`: a checkpoint's folder, a run's, RUN@best. Throws Error: none there, damaged (the file is named), another version.
std::unique_ptr<Evaluator> load_checkpoint_evaluator(const std::filesystem::path& path, const CheckpointEvaluatorSettings& settings = {});

// The same on the GPU, for batches of `rows`; `precision`: auto (bfloat16) or float32. Throws Error also without a GPU.
std::unique_ptr<Evaluator> load_device_checkpoint_evaluator(const std::filesystem::path& path, const std::vector<Rules>& rules, int rows, const std::string& precision = "auto");

// The hash of the weights that `path` stands for just now.
std::string checkpoint_weights_hash(const std::filesystem::path& path);

// The line to log when `rules` were not trained on ("" if they were).
std::string checkpoint_rules_note(const std::filesystem::path& path, const Rules& rules);

}  // namespace wari
