#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rules.h"
#include "train/network.h"
#include "train/safetensors.h"
#include "train/trainer.h"

// A checkpoint is a folder: weights.safetensors, optimizer.safetensors, lanes.bin, and checkpoint.json, which is written last, by rename, and lists the hashes of the others.
// A folder without checkpoint.json was never published and is no checkpoint.
namespace wari {

inline constexpr int kCheckpointFormat = 1;

struct CheckpointInfo {
  int format = kCheckpointFormat;
  int token_version = kTokenVersion;
  std::string run_id;
  std::vector<std::pair<Rules, int>> rules;        // trained on, with weights of the mix
  NetworkSettings network;
  std::int64_t iteration = 0;
  std::int64_t step = 0;                           // optimiser steps
  std::map<std::string, std::string> hashes;       // file in the folder -> XXH3 128, 32 hexadecimal digits; filled by write_checkpoint()
  nlohmann::json loop = nlohmann::json::object();  // what the loop keeps: counters, resolved configuration, metrics line, shards, evaluation results ("elo" for RUN@best)
};

// Writes `folder` (made if missing): the three files, then checkpoint.json; all synced, the folder too. An interrupted call leaves no checkpoint.json.
// One retry after a failed write; a second failure is a system error that names the file. Returns the info as written.
CheckpointInfo write_checkpoint(const std::filesystem::path& folder, CheckpointInfo info, const TrainerState& state, std::span<const std::byte> lanes);

// Replaces checkpoint.json alone (same files, same hashes), by rename: for evaluation results that come later.
void update_checkpoint_info(const std::filesystem::path& folder, const CheckpointInfo& info);

// Reads checkpoint.json only. Throws Error: none there, damaged, newer format.
CheckpointInfo read_checkpoint_info(const std::filesystem::path& folder);

// Compares the hashes of all files listed (or only `only`) with their contents. Throws Error naming the file, e.g. weights.safetensors; deletes nothing.
void verify_checkpoint(const std::filesystem::path& folder, const CheckpointInfo& info, const std::string& only = "");

struct Checkpoint {
  CheckpointInfo info;
  TrainerState state;
  std::vector<std::byte> lanes;
};
// Everything, hashes verified first.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

// Weights only (for playing and --from): the hash of weights.safetensors is verified, the tensors are checked against the network of checkpoint.json.
struct CheckpointWeights {
  CheckpointInfo info;
  SafeTensors weights;
};
CheckpointWeights read_checkpoint_weights(const std::filesystem::path& folder);
std::vector<float> flat_weights(const CheckpointWeights& checkpoint, bool averaged = true);  // [NetworkLayout::size()]
FoldedNetwork fold_weights(const CheckpointWeights& checkpoint, bool averaged = true);

// What differs, one "key: saved against configured" a line; empty if it fits: network, rules (options by name), token layout.
std::vector<std::string> checkpoint_differences(const CheckpointInfo& saved, const NetworkSettings& network, std::span<const std::pair<Rules, int>> rules);

// `path` as a user writes it: a checkpoint's folder, a run's (its newest), or RUN@best (highest loop["elo"]; the newest where none was evaluated). Throws Error.
std::filesystem::path resolve_checkpoint(const std::string& path);
// Published checkpoints of a run in order of iteration: folders RUN/checkpoints/NNNNNN that hold a checkpoint.json.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& run);
std::filesystem::path checkpoint_folder(const std::filesystem::path& run, std::int64_t iteration);

// One line for players when `rules` were not trained on, e.g. "'awari' was not trained on (abapa): runs/a"; empty if they were.
std::string untrained_rules_note(const CheckpointInfo& info, const Rules& rules, const std::string& path);

}  // namespace wari
