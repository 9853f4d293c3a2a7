#include "train/run_reporter.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "train/metrics.h"

namespace wari {
namespace {

constexpr std::chrono::seconds kBetweenLines{10};

}  // namespace

RunReporter::RunReporter() : terminal_(::isatty(STDERR_FILENO) != 0) {}

RunReporter::~RunReporter() {
  if (pending_.is_object()) show(pending_, "");
}

bool RunReporter::is_quiet() const { return std::chrono::steady_clock::now() - last_shown_ < kBetweenLines; }

void RunReporter::stage(std::int64_t iteration, const char* name, std::int64_t done, std::int64_t of, const std::string& time_left) {
  if (!terminal_ && is_quiet()) return;
  if (!terminal_ && pending_.is_object()) return show(pending_, time_left);  // says more than how far the next one is
  if (!terminal_) last_shown_ = std::chrono::steady_clock::now();
  progress_.update(fmt::format("iteration {}, {}: {} %  {}", iteration, name, 100 * done / std::max<std::int64_t>(of, 1), time_left));
}

void RunReporter::iteration(const nlohmann::ordered_json& line, const std::string& time_left) {
  if (terminal_ || !shown_ || line.at("elo").is_number() || !is_quiet())
    show(line, time_left);
  else
    pending_ = line;
}

void RunReporter::show(const nlohmann::ordered_json& line, const std::string& time_left) {
  progress_.clear();
  log_info("{}  {}", metrics_text(line), time_left);
  for (const std::string& warning : metrics_warnings(line)) log_warning("iteration {}: {}", line.at("iteration").get<std::int64_t>(), warning);
  last_shown_ = std::chrono::steady_clock::now();
  shown_ = true;
  pending_ = nullptr;
}

}  // namespace wari
