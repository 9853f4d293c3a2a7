#include "train/run_length.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace wari {
namespace {

constexpr double kSecondsPerMinute = 60;

}  // namespace

double RunLength::seconds_used() const { return seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

double RunLength::share_used() const { return settings_.max_minutes > 0 ? std::min(1.0, seconds_used() / (settings_.max_minutes * kSecondsPerMinute)) : 0; }

bool RunLength::has_ended(std::int64_t iteration, double seconds_at_checkpoint) const {
  return (settings_.iterations > 0 && iteration >= settings_.iterations) || is_time_used(iteration, seconds_at_checkpoint);
}

bool RunLength::is_time_used(std::int64_t iteration, double seconds) const {
  if (settings_.max_minutes == 0) return false;
  // The last iteration is begun if most of it fits.
  const double mean_seconds = iteration > 0 ? seconds / static_cast<double>(iteration) : 0;
  return seconds + mean_seconds / 2 >= settings_.max_minutes * kSecondsPerMinute;
}

std::string RunLength::time_left(std::int64_t iteration) const {
  constexpr double kUnknown = std::numeric_limits<double>::max();
  const double used = seconds_used();
  double left = settings_.max_minutes > 0 ? settings_.max_minutes * kSecondsPerMinute - used : kUnknown;
  if (settings_.iterations > 0 && iteration > 0)
    left = std::min(left, used / static_cast<double>(iteration) * static_cast<double>(settings_.iterations - iteration));
  if (left == kUnknown) return "";
  const auto seconds = static_cast<std::int64_t>(std::max(left, 0.0));
  return fmt::format("{}:{:02} left", seconds / 60, seconds % 60);
}

}  // namespace wari
