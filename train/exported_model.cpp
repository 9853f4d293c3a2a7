#include "train/exported_model.h"

#include "core/rules_files.h"
#include "train/checkpoint.h"

namespace wari {

namespace {

using nlohmann::ordered_json;

ordered_json rules_metadata(const std::vector<std::pair<Rules, int>>& mix) {
  ordered_json sets = ordered_json::array();
  for (const auto& [rules, weight] : mix) {
    Token tokens[kRuleTokens];
    encode_rules(rules, tokens);
    sets.push_back({{"name", rules_name(rules)}, {"weight", weight}, {"options", rules_to_json(rules)}, {"tokens", tokens}});
  }
  return sets;
}

}  // namespace

std::vector<int> token_offsets() {
  std::vector<int> offsets;
  const auto add = [&](int places, int first_row, int rows) {
    for (int place = 0; place < places; ++place) offsets.push_back(first_row + place * rows);
  };
  add(kPitTokens, kPitOffset, kPitRange);
  add(kStoreTokens, kStoreOffset, kStoreRange);
  add(1, kQuietOffset, kQuietRange);
  add(kCaptureTokens, kCaptureOffset, kCaptureRange);
  int row = kRuleOffset;
  for (const int range : kRuleRanges) {
    offsets.push_back(row);
    row += range;
  }
  return offsets;
}

std::vector<ModelPort> model_inputs() {
  return {{"tokens", "int32", {kTokens}, "rows of the embedding table, one for each place of the token layout"}};
}

std::vector<ModelPort> model_outputs() {
  return {{"policy", "float32", {kActions}, "logits of the actions: the mover's pits from the first sown, then the same with the capture declined; illegal ones are not masked"},
          {"wdl", "float32", {3}, "logits of win, draw and loss for the mover"},
          {"margin", "float32", {}, "expected final store of the mover less the opponent's, as a share of all seeds"},
          {"margin_classes", "float32", {kMarginClasses}, "logits of that final difference, from -72 to 72 seeds"},
          {"plies_left", "float32", {}, "plies until the game ends, in hundreds"}};
}

ExportedModel load_exported_model(const std::string& path) {
  const CheckpointWeights checkpoint = read_checkpoint_weights(resolve_checkpoint(path));
  const CheckpointInfo& info = checkpoint.info;
  const NetworkSettings& network = info.network;
  ExportedModel model{NetworkLayout(network), flat_weights(checkpoint), {}};
  model.metadata = {{"format_version", kExportFormat},
                    {"network", {{"kind", trunk_kind_name(network.kind)}, {"blocks", network.blocks}, {"width", network.width}}},
                    {"weights", "averaged"},
                    {"rules", rules_metadata(info.rules)},
                    {"token_version", info.token_version},
                    {"token_offsets", token_offsets()},
                    {"run_id", info.run_id},
                    {"iteration", info.iteration},
                    {"step", info.step},
                    {"checkpoint_hash", info.hashes.at("weights.safetensors")}};
  return model;
}

std::map<std::string, std::string> metadata_texts(const ExportedModel& model) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : model.metadata.items()) texts[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return texts;
}

}  // namespace wari
