#include "app/server/checkpoint_names.h"

#include "app/server/http.h"
#include "core/error.h"
#include "core/nearest.h"
#include "train/checkpoint.h"

namespace wari {
namespace {

NamedCheckpoint named(const std::filesystem::path& folder) {
  const std::filesystem::path plain = folder.has_filename() ? folder : folder.parent_path();
  return {plain.filename().string(), folder};
}

}  // namespace

CheckpointNames::CheckpointNames(std::filesystem::path run, std::string checkpoint) : run_(std::move(run)), checkpoint_(std::move(checkpoint)) {
  if (!run_.empty()) list();  // whether there are some
}

std::vector<NamedCheckpoint> CheckpointNames::list() const {
  std::vector<NamedCheckpoint> names;
  if (!run_.empty()) {
    for (const std::filesystem::path& folder : list_checkpoints(run_)) names.push_back(named(folder));
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
  if (!names.empty() && name == "best") return run_.empty() ? names.back() : named(resolve_checkpoint(run_.string() + "@best"));
  std::vector<std::string> known;
  for (const NamedCheckpoint& checkpoint : names) {
    if (checkpoint.name == name) return checkpoint;
    known.push_back(checkpoint.name);
  }
  throw HttpError(404, "no such checkpoint: " + quote(name) + ": " + suggestion(name, known));
}

}  // namespace wari
