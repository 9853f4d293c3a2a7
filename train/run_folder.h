#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

// A training run on disk: config.yaml, metrics.jsonl, tensorboard/, replay/, results.sqlite, checkpoints/NNNNNN/. checkpoint.json of the newest checkpoint is
// the one commit point; whatever is newer was under way when the process stopped, and is moved to set-aside/ and made again.
namespace wari {

// Keeps two processes out of one run, also across a kill: the system drops the lock with its holder.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run);  // Error naming the run if another process holds it
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

using ConfigValues = std::vector<std::pair<std::string, std::string>>;  // dotted key, text

// What of a configuration is other than when the run began.
struct ConfigChange {
  std::string key, before, now;
};

// Keys that may differ when a run is continued: how long, on what and how many at once; the learning rate; evaluation and output.
bool may_change(const std::string& key);

// The differences that are allowed, to be logged and kept; any other is an Error that lists them all.
std::vector<ConfigChange> compare_configurations(const ConfigValues& saved, const ConfigValues& wanted, const std::filesystem::path& run);

class RunFolder {
 public:
  // Makes the folder where it is missing and takes the lock. A file, or a folder that holds something else than a run, is refused.
  explicit RunFolder(const std::filesystem::path& run);

  bool has_configuration() const;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path configuration() const { return path_ / "config.yaml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path tensorboard() const { return path_ / "tensorboard"; }
  std::filesystem::path replay() const { return path_ / "replay"; }
  std::filesystem::path results() const { return path_ / "results.sqlite"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path checkpoint(std::int64_t iteration) const;  // checkpoints/000012
  std::filesystem::path shard(std::int64_t iteration) const;       // replay/000012.games

  // The newest iteration with a checkpoint.json; -1: none was committed.
  std::int64_t newest_checkpoint() const;
  // Iterations with a checkpoint.json, in order.
  std::vector<std::int64_t> committed_checkpoints() const;

  // Moves what is newer than checkpoint `iteration` (-1: everything) out of the way and returns what was moved, relative to the run.
  std::vector<std::string> set_aside_newer(std::int64_t iteration);
  // Brings metrics.jsonl to exactly the lines of iterations 1..`iteration`: later and half-written ones go, `lines` (of kept checkpoints) fill the gaps.
  // Returns the iterations that had to be added.
  std::vector<std::int64_t> repair_metrics(std::int64_t iteration, const std::vector<nlohmann::ordered_json>& lines);
  void append_metrics(const nlohmann::ordered_json& line);

 private:
  std::filesystem::path set_aside_folder();

  std::filesystem::path path_;
  std::unique_ptr<RunLock> lock_;
  std::filesystem::path set_aside_;  // of this process, made at need
};

}  // namespace wari
