#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// The checkpoints that a server may use, by name. A name of a request is looked up here and never becomes part of a path.
namespace wari {

struct NamedCheckpoint {
  std::string name;              // "000120"
  std::filesystem::path folder;
};

class CheckpointNames {
 public:
  // `run`: a run's folder, or empty. `checkpoint`: what plays where a request names nothing, as on the command line; empty: the run's newest, or, without a run, none.
  CheckpointNames(std::filesystem::path run, std::string checkpoint);

  // In order of iteration: the run's, as they are on disk now; without a run the one of the command line. Throws HttpError 503 where a run had some and has none now: random
  // games must not take over from a network without a word.
  std::vector<NamedCheckpoint> list() const;
  // By name, "newest", "best" or "default"; throws HttpError 404 where there is none.
  NamedCheckpoint find(const std::string& name) const;
  // What plays where nothing is named; none: random games judge.
  std::optional<NamedCheckpoint> standard() const;

  const std::filesystem::path& run() const { return run_; }

 private:
  std::filesystem::path run_;
  std::string checkpoint_;
  mutable std::atomic<bool> seen_ = false;  // the run had checkpoints
};

}  // namespace wari
