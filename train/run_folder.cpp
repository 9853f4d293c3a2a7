#include "train/run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <sstream>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

// Keys and groups (ending in a dot) of `may_change`.
constexpr const char* kMayChange[] = {"iterations",          "max_minutes",           "device",           "workers",
                                      "selfplay.lanes",      "selfplay.endgame.folder", "trainer.learning_rate", "trainer.schedule", "trainer.schedule_steps",
                                      "trainer.final_share", "evaluation.",           "checkpoints."};

// "000012" or "000012.games" as 12; -1 for any other name.
std::int64_t number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : -1;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// What may lie in a folder that has no configuration yet: the traces of a start that was killed.
bool trace_of_a_start(const fs::path& file) { return file.filename() == "lock" || file.filename() == "config.yaml.tmp"; }

}  // namespace

RunLock::RunLock(const fs::path& run) {
  const fs::path file = run / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw Error("cannot open the run's lock: '" + file.string() + "': " + std::strerror(errno) + "; check its permissions");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    if (error != EWOULDBLOCK) throw system_error("cannot lock the run: '" + run.string() + "': " + std::strerror(error));
    throw Error("this run is in use by another process: '" + run.string() + "': wait for it, stop it, or name another folder with --run");
  }
}

RunLock::~RunLock() { ::close(descriptor_); }

bool may_change(const std::string& key) {
  return std::any_of(std::begin(kMayChange), std::end(kMayChange),
                     [&key](const std::string& allowed) { return allowed.back() == '.' ? key.starts_with(allowed) : key == allowed; });
}

std::vector<ConfigChange> compare_configurations(const ConfigValues& saved, const ConfigValues& wanted, const fs::path& run) {
  const std::map<std::string, std::string> before(saved.begin(), saved.end());
  std::vector<ConfigChange> allowed;
  std::string refused;
  for (const auto& [key, value] : wanted) {
    const auto found = before.find(key);
    if (found != before.end() && found->second == value) continue;
    ConfigChange change{key, found == before.end() ? "absent" : found->second, value};
    if (!may_change(key))
      refused += fmt::format("{}{} ({}, now {})", refused.empty() ? "" : ", ", key, change.before, change.now);
    else
      allowed.push_back(std::move(change));
  }
  if (!refused.empty()) {
    throw Error(fmt::format("another configuration than the run began with: '{}': these keys differ: {}; put them back, or name another folder with --run",
                            run.string(), refused));
  }
  return allowed;
}

RunFolder::RunFolder(const fs::path& run) : path_(run) {
  if (fs::exists(path_) && !fs::is_directory(path_)) throw Error("a run is a folder, this is a file: '" + path_.string() + "': name another with --run");
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw Error("cannot make the run's folder: '" + path_.string() + "': " + error.message() + "; check its permissions, or name another with --run");
  const std::vector<fs::path> present = entries(path_);
  if (!has_configuration() && !std::all_of(present.begin(), present.end(), trace_of_a_start)) {
    throw Error("this folder is no run (it has no config.yaml) and is not empty: '" + path_.string() + "': name another with --run");
  }
  lock_ = std::make_unique<RunLock>(path_);
}

bool RunFolder::has_configuration() const { return fs::exists(configuration()); }
fs::path RunFolder::checkpoint(std::int64_t iteration) const { return checkpoints() / fmt::format("{:06}", iteration); }
fs::path RunFolder::shard(std::int64_t iteration) const { return replay() / fmt::format("{:06}.games", iteration); }

std::vector<std::int64_t> RunFolder::committed_checkpoints() const {
  std::vector<std::int64_t> numbers;
  for (const fs::path& folder : entries(checkpoints())) {
    if (number_of(folder) >= 0 && fs::exists(folder / "checkpoint.json")) numbers.push_back(number_of(folder));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::int64_t RunFolder::newest_checkpoint() const {
  const std::vector<std::int64_t> numbers = committed_checkpoints();
  return numbers.empty() ? -1 : numbers.back();
}

fs::path RunFolder::set_aside_folder() {
  for (int number = 1; set_aside_.empty() || (fs::exists(set_aside_) && number < 1000000); ++number) {
    const fs::path candidate = path_ / "set-aside" / fmt::format("{:06}", number);
    if (fs::exists(candidate)) continue;
    set_aside_ = candidate;
    fs::create_directories(set_aside_);
    break;
  }
  return set_aside_;
}

std::vector<std::string> RunFolder::set_aside_newer(std::int64_t iteration) {
  std::vector<std::string> moved;
  for (const fs::path& folder : {checkpoints(), replay()}) {
    for (const fs::path& file : entries(folder)) {
      // Temporary files and folders have names that are no numbers: they are always of something unfinished.
      const bool unfinished = number_of(file) < 0 || (folder == checkpoints() && !fs::exists(file / "checkpoint.json"));
      if (!unfinished && number_of(file) <= iteration) continue;
      const fs::path target = set_aside_folder() / folder.filename();
      fs::create_directories(target);
      fs::rename(file, target / file.filename());
      moved.push_back((folder.filename() / file.filename()).string());
    }
  }
  return moved;
}

std::vector<std::int64_t> RunFolder::repair_metrics(std::int64_t iteration, const std::vector<nlohmann::ordered_json>& lines) {
  std::map<std::int64_t, std::string> kept;
  const std::string present = fs::exists(metrics()) ? read_whole_file(metrics()) : "";
  std::istringstream text(present);
  for (std::string line; std::getline(text, line);) {
    const auto value = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!value.is_object() || !value.contains("iteration") || !value["iteration"].is_number_integer()) continue;
    const auto number = value["iteration"].get<std::int64_t>();
    if (number >= 1 && number <= iteration) kept.emplace(number, line);
  }
  std::vector<std::int64_t> added;
  for (const auto& line : lines) {
    const auto number = line.value("iteration", std::int64_t{0});
    if (number < 1 || number > iteration || kept.contains(number)) continue;
    kept.emplace(number, line.dump());
    added.push_back(number);
  }
  std::string wanted;
  for (const auto& [number, line] : kept) wanted += line + "\n";
  if (wanted == present) return added;
  if (!present.empty() && !wanted.starts_with(present)) write_file_durably(set_aside_folder() / "metrics.jsonl", present);
  write_file_durably(metrics(), wanted);
  return added;
}

void RunFolder::append_metrics(const nlohmann::ordered_json& line) { append_line_durably(metrics(), line.dump()); }

}  // namespace wari
