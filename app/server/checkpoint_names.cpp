#include "app/server/checkpoint_names.h"

#include <algorithm>

#include "app/server/http.h"
#include "app/server/run_files.h"
#include "core/error.h"
#include "core/log.h"
#include "core/nearest.h"
#include "train/checkpoint.h"

namespace wari {
namespace {

NamedCheckpoint named(const std::filesystem::path& folder) {
  const std::filesystem::path plain = folder.has_filename() ? folder : folder.parent_path();
  return {plain.filename().string(), folder};
}

bool is_of_run(const std::filesystem::path& folder, const std::filesystem::path& run) { return lies_within(folder, run) && lies_within(folder / "checkpoint.json", run); }

}  // namespace

CheckpointNames::CheckpointNames(std::filesystem::path run, std::string checkpoint) : run_(std::move(run)), checkpoint_(std::move(checkpoint)) {
  if (run_.empty()) return;
  const std::size_t all = list_checkpoints(run_).size(), used = list().size();
  if (used < all) log_warning("checkpoints that links lead to outside of the run are not used: {}: {} of {}", quote(run_.string()), all - used, all);
}

std::vector<NamedCheckpoint> CheckpointNames::list() const {
  std::vector<NamedCheckpoint> names;
  if (!run_.empty()) {
    for (const std::filesystem::path& folder : list_checkpoints(run_)) {
      if (is_of_run(folder, run_)) names.push_back(named(folder));
    }
    if (names.empty() && seen_) throw HttpError(503, "the run's checkpoints are gone: " + quote(run_.filename().string()) + ": put the run's folder back", {{"Retry-After", "3"}});
    if (!names.empty()) seen_ = true;
  } else if (!checkpoint_.empty()) {
    names.push_back(named(resolve_checkpoint(checkpoint_)));
  }
  return names;
}

std::optional<NamedCheckpoint> CheckpointNames::standard() const {
  if (!checkpoint_.empty()) return named(resolve_checkpoint(checkpoint_));
  const std::vector<NamedCheckpoint> names = list();
  if (names.empty()) return std::nullopt;
  return names.back();
}

NamedCheckpoint CheckpointNames::find(const std::string& name) const {
  if (name == "default") {
    if (const auto found = standard()) return *found;
  }
  const std::vector<NamedCheckpoint> names = list();
  if (!names.empty() && name == "newest") return names.back();
  if (!names.empty() && name == "best") {
    const NamedCheckpoint best = run_.empty() ? names.back() : named(resolve_checkpoint(run_.string() + "@best"));
    return run_.empty() || is_of_run(best.folder, run_) ? best : names.back();
  }
  std::vector<std::string> known;
  for (const NamedCheckpoint& checkpoint : names) {
    if (checkpoint.name == name) return checkpoint;
    known.push_back(checkpoint.name);
  }
  throw HttpError(404, "no such checkpoint: " + quote(name) + ": " + suggestion(name, known));
}

}  // namespace wari
