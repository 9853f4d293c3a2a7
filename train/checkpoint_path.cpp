#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/error.h"
#include "train/checkpoint.h"

namespace wari {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBest = "@best";

std::optional<std::int64_t> folder_number(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name.empty()) return std::nullopt;
  return number;
}

std::string rules_text(std::span<const std::pair<Rules, int>> rules) {
  std::string text;
  for (const auto& [set, weight] : rules) {
    text += (text.empty() ? "" : " + ") + rules_name(set) + (rules.size() > 1 ? " x " + std::to_string(weight) : "");
  }
  return text;
}

fs::path best_checkpoint(const std::vector<fs::path>& checkpoints) {
  // The last evaluation rated all of them together.
  std::map<std::string, double> ratings;
  std::vector<std::string> iterations;  // [checkpoints]
  for (const fs::path& folder : checkpoints) {
    const CheckpointInfo info = read_checkpoint_info(folder);
    iterations.push_back(std::to_string(info.iteration));
    if (const auto elo = info.loop.find("elo"); elo != info.loop.end() && elo->is_number()) ratings[iterations.back()] = elo->get<double>();
    if (const auto all = info.loop.find("elo_of_iterations"); all != info.loop.end()) {
      for (const auto& [iteration, elo] : all->items()) ratings[iteration] = elo.get<double>();
    }
  }
  fs::path best = checkpoints.back();
  std::optional<double> best_elo;
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    const auto rating = ratings.find(iterations[i]);
    if (rating == ratings.end() || (best_elo && rating->second < *best_elo)) continue;
    best_elo = rating->second;
    best = checkpoints[i];
  }
  return best;
}

}  // namespace

fs::path checkpoint_folder(const fs::path& run, std::int64_t iteration) {
  std::string name = std::to_string(iteration);
  if (name.size() < 6) name.insert(0, 6 - name.size(), '0');
  return run / "checkpoints" / name;
}

std::vector<fs::path> list_checkpoints(const fs::path& run) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(run / "checkpoints", failed)) {
    const std::optional<std::int64_t> number = folder_number(entry.path());
    if (number && fs::exists(entry.path() / "checkpoint.json")) found.emplace_back(*number, entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> folders;
  for (auto& [number, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

fs::path resolve_checkpoint(const std::string& path) {
  if (fs::exists(fs::path(path) / "checkpoint.json")) return path;
  const bool wants_best = path.ends_with(kBest) && !fs::exists(path);
  const fs::path run = wants_best ? fs::path(path.substr(0, path.size() - kBest.size())) : fs::path(path);
  if (!fs::exists(run)) throw Error("no such checkpoint: '" + path + "': give a checkpoint's folder, a run's, or RUN@best");
  if (!fs::is_directory(run)) throw Error("not a checkpoint: '" + path + "': this is a single file, and an exported one holds nothing to go on from; give a checkpoint's folder (with checkpoint.json), a run's, or RUN@best");
  const std::vector<fs::path> checkpoints = list_checkpoints(run);
  if (checkpoints.empty()) throw Error("no checkpoint: '" + path + "': neither checkpoint.json nor checkpoints/ with one is there");
  return wants_best ? best_checkpoint(checkpoints) : checkpoints.back();
}

std::vector<std::string> checkpoint_differences(const CheckpointInfo& saved, const NetworkSettings& network, std::span<const std::pair<Rules, int>> rules) {
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& key, const std::string& then, const std::string& now) {
    if (then != now) differences.push_back(key + ": saved " + then + ", configured " + now);
  };
  compare("network.kind", trunk_kind_name(saved.network.kind), trunk_kind_name(network.kind));
  compare("network.width", std::to_string(saved.network.width), std::to_string(network.width));
  compare("network.blocks", std::to_string(saved.network.blocks), std::to_string(network.blocks));
  compare("rules", rules_text(saved.rules), rules_text(rules));
  compare("token layout", std::to_string(saved.token_version), std::to_string(kTokenVersion));
  return differences;
}

std::string untrained_rules_note(const CheckpointInfo& info, const Rules& rules, const std::string& path) {
  const bool known = std::any_of(info.rules.begin(), info.rules.end(), [&](const auto& entry) { return entry.first == rules; });
  if (known) return "";
  return fmt::format("'{}' was trained on {} alone: what it says under '{}' is a guess", path, rules_text(info.rules), rules_name(rules));
}

}  // namespace wari
