#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "train/state_tensors.h"

namespace wari {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kInfoFile = "checkpoint.json";
constexpr const char* kWeightsFile = "weights.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kLanesFile = "lanes.bin";

std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

json to_json(const CheckpointInfo& info) {
  json rules = json::array();
  for (const auto& [set, weight] : info.rules) rules.push_back({{"name", rules_name(set)}, {"weight", weight}, {"hash", hex(rules_hash(set))}});
  json out = {{"format", info.format},
              {"token_version", info.token_version},
              {"run_id", info.run_id},
              {"rules", rules},
              {"network", {{"kind", trunk_kind_name(info.network.kind)}, {"width", info.network.width}, {"blocks", info.network.blocks}}},
              {"iteration", info.iteration},
              {"step", info.step},
              {"hashes", info.hashes},
              {"loop", info.loop}};
  out["checksum"] = content_hash(out.dump());
  return out;
}

CheckpointInfo from_json(const json& in, const std::string& file) {
  CheckpointInfo info;
  info.token_version = in.at("token_version");
  info.run_id = in.at("run_id");
  for (const json& entry : in.at("rules")) {
    const Rules rules = parse_rules(entry.at("name").get<std::string>());
    if (hex(rules_hash(rules)) != entry.at("hash")) throw Error("rule set '" + entry.at("name").get<std::string>() + "' meant something else when this was written: " + file + ": use the version of wari that wrote it");
    info.rules.emplace_back(rules, entry.at("weight").get<int>());
  }
  const json& network = in.at("network");
  const std::vector<std::string>& kinds = trunk_kind_names();
  const auto kind = std::find(kinds.begin(), kinds.end(), network.at("kind").get<std::string>());
  if (kind == kinds.end()) throw Error("unknown kind of network '" + network.at("kind").get<std::string>() + "': '" + file + "': use the version of wari that wrote it");
  info.network.kind = static_cast<TrunkKind>(kind - kinds.begin());
  info.network.width = network.at("width");
  info.network.blocks = network.at("blocks");
  info.iteration = in.at("iteration");
  info.step = in.at("step");
  info.hashes = in.at("hashes").get<std::map<std::string, std::string>>();
  info.loop = in.at("loop");
  return info;
}

std::string read_verified(const fs::path& folder, const CheckpointInfo& info, const std::string& name) {
  const fs::path file = folder / name;
  const auto expected = info.hashes.find(name);
  if (expected == info.hashes.end()) throw Error("checkpoint.json does not list " + name + ": '" + folder.string() + "': the checkpoint is damaged; use an earlier one or restore a copy");
  if (!fs::exists(file)) throw Error("a file of the checkpoint is missing: '" + file.string() + "': use an earlier checkpoint or restore a copy");
  std::string bytes = read_whole_file(file);
  if (content_hash(bytes) != expected->second) {
    throw Error("damaged file: " + file.string() + ": its contents do not match the hash in checkpoint.json; use an earlier checkpoint or restore a copy");
  }
  return bytes;
}

void check_token_version(const CheckpointInfo& info, const fs::path& folder) {
  if (info.token_version == kTokenVersion) return;
  throw Error("the network reads another token layout: " + folder.string() + ": saved version " + std::to_string(info.token_version) + ", this program has " + std::to_string(kTokenVersion) + "; use the version of wari that wrote it");
}

}  // namespace

CheckpointInfo write_checkpoint(const fs::path& folder, CheckpointInfo info, const TrainerState& state, std::span<const std::byte> lanes) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw system_error("cannot make the checkpoint's folder: " + folder.string() + ": " + failed.message());
  info.hashes.clear();
  const auto write = [&](const char* name, std::span<const std::byte> bytes) {
    write_file_durably(folder / name, text_of(bytes));
    info.hashes[name] = content_hash(text_of(bytes));
  };
  write(kWeightsFile, state.weights.bytes());
  write(kOptimizerFile, state.optimizer.bytes());
  write(kLanesFile, lanes);
  update_checkpoint_info(folder, info);
  if (folder.has_parent_path()) sync_folder(folder.parent_path());
  return info;
}

void update_checkpoint_info(const fs::path& folder, const CheckpointInfo& info) { write_file_durably(folder / kInfoFile, to_json(info).dump(1) + "\n"); }

CheckpointInfo read_checkpoint_info(const fs::path& folder) {
  const fs::path file = folder / kInfoFile;
  if (!fs::exists(file)) throw Error("no checkpoint: '" + folder.string() + "': there is no checkpoint.json; give a checkpoint's folder, a run's, or RUN@best");
  const std::string text = read_whole_file(file);
  json in = json::parse(text, nullptr, false);
  if (in.is_discarded() || !in.is_object() || !in.contains("format") || !in["format"].is_number_integer()) {
    throw Error("not a checkpoint's description: '" + file.string() + (text.empty() ? "': the file is empty" : "': it is not the JSON that wari writes") +
                "; use an earlier checkpoint or restore a copy");
  }
  if (in["format"].get<int>() > kCheckpointFormat) {
    throw Error("the checkpoint is of a newer format: '" + file.string() + "': format " + in["format"].dump() + ", this program reads up to " + std::to_string(kCheckpointFormat) +
                "; use the newer wari that wrote it");
  }
  const json checksum = in.contains("checksum") ? in["checksum"] : json();
  in.erase("checksum");
  if (checksum != content_hash(in.dump())) throw Error("damaged file: " + file.string() + ": its checksum does not match; use an earlier checkpoint or restore a copy");
  try {
    CheckpointInfo info = from_json(in, file.string());
    info.format = in["format"];
    return info;
  } catch (const json::exception& error) {
    throw Error("not a complete checkpoint's description: '" + file.string() + "': " + error.what() + "; use an earlier checkpoint or restore a copy");
  }
}

void verify_checkpoint(const fs::path& folder, const CheckpointInfo& info, const std::string& only) {
  for (const char* name : {kWeightsFile, kOptimizerFile, kLanesFile}) {
    if (only.empty() || only == name) read_verified(folder, info, name);
  }
}

Checkpoint read_checkpoint(const fs::path& folder) {
  Checkpoint checkpoint;
  checkpoint.info = read_checkpoint_info(folder);
  check_token_version(checkpoint.info, folder);
  std::string bytes = read_verified(folder, checkpoint.info, kWeightsFile);
  checkpoint.state.weights = SafeTensors::parse(bytes_of(bytes), (folder / kWeightsFile).string());
  bytes = read_verified(folder, checkpoint.info, kOptimizerFile);
  checkpoint.state.optimizer = SafeTensors::parse(bytes_of(bytes), (folder / kOptimizerFile).string());
  bytes = read_verified(folder, checkpoint.info, kLanesFile);
  checkpoint.lanes.assign(bytes_of(bytes).begin(), bytes_of(bytes).end());
  return checkpoint;
}

CheckpointWeights read_checkpoint_weights(const fs::path& folder) {
  CheckpointWeights checkpoint;
  checkpoint.info = read_checkpoint_info(folder);
  check_token_version(checkpoint.info, folder);
  const std::string bytes = read_verified(folder, checkpoint.info, kWeightsFile);
  const std::string name = (folder / kWeightsFile).string();
  checkpoint.weights = SafeTensors::parse(bytes_of(bytes), name);
  check_tensors(NetworkLayout(checkpoint.info.network), {"raw.", "averaged."}, {}, checkpoint.weights, name);
  return checkpoint;
}

std::vector<float> flat_weights(const CheckpointWeights& checkpoint, bool averaged) {
  const NetworkLayout layout(checkpoint.info.network);
  std::vector<float> flat(static_cast<std::size_t>(layout.size()), 0.0f);
  read_tensors(layout, averaged ? "averaged." : "raw.", checkpoint.weights, flat);
  return flat;
}

FoldedNetwork fold_weights(const CheckpointWeights& checkpoint, bool averaged) {
  return fold_network(NetworkLayout(checkpoint.info.network), flat_weights(checkpoint, averaged));
}

}  // namespace wari
