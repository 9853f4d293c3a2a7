#pragma once

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/server/checkpoint_names.h"
#include "app/server/run_curves.h"
#include "arena/ratings.h"

// What the pages show of a run, which may be training at the same time: everything is only read, and what vanishes meanwhile is passed over.
namespace wari {

class RunData {
 public:
  explicit RunData(const std::filesystem::path& run) : run_(run), curves_(run / "metrics.jsonl") {}

  nlohmann::ordered_json training(std::int64_t since);
  // Games `from`, ... of the newest iteration whose records are there.
  nlohmann::ordered_json games(std::int64_t from, std::int64_t count) const;
  nlohmann::ordered_json checkpoints(const CheckpointNames& names);

 private:
  Ratings ratings();  // of all that was played so far; empty: nothing was

  std::filesystem::path run_;
  RunCurves curves_;
  std::mutex mutex_;  // of the ratings kept
  std::filesystem::file_time_type rated_at_{};
  Ratings ratings_;
};

// The same of checkpoints that belong to no run: without ratings.
nlohmann::ordered_json checkpoints_json(const CheckpointNames& names, const Ratings& ratings);

}  // namespace wari
