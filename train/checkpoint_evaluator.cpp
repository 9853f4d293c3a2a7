#include "train/checkpoint_evaluator.h"

#include "train/checkpoint.h"
#include "train/network_evaluator.h"

namespace wari {

std::unique_ptr<Evaluator> load_checkpoint_evaluator(const std::filesystem::path& path, const CheckpointEvaluatorSettings& settings) {
  const CheckpointWeights checkpoint = read_checkpoint_weights(resolve_checkpoint(path.string()));
  std::vector<Rules> rules = settings.rules;
  if (rules.empty()) {
    for (const auto& [set, weight] : checkpoint.info.rules) rules.push_back(set);
  }
  return make_network_evaluator(fold_weights(checkpoint, settings.averaged), rules, settings.precision);
}

std::unique_ptr<Evaluator> load_device_checkpoint_evaluator(const std::filesystem::path& path, const std::vector<Rules>& rules, int rows, const std::string& precision) {
  return make_device_network_evaluator(fold_weights(read_checkpoint_weights(resolve_checkpoint(path.string())), /*averaged=*/true), rules, rows, precision);
}

std::string checkpoint_weights_hash(const std::filesystem::path& path) {
  return read_checkpoint_info(resolve_checkpoint(path.string())).hashes.at("weights.safetensors");
}

std::string checkpoint_rules_note(const std::filesystem::path& path, const Rules& rules) {
  return untrained_rules_note(read_checkpoint_info(resolve_checkpoint(path.string())), rules, path.string());
}

}  // namespace wari
