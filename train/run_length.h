#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "train/training_settings.h"

namespace wari {

// When a run ends: by iterations, by the time that all its processes have used, or by what is left to learn from.
class RunLength {
 public:
  // `seconds_before`: used by earlier processes. The clock starts here.
  RunLength(const TrainingSettings& settings, double seconds_before) : settings_(settings), seconds_before_(seconds_before) {}

  double seconds_used() const;
  // Share of max_minutes used, 0..1; 0 where there is no such end.
  double share_used() const;
  // `seconds_at_checkpoint`: used when the newest checkpoint was written, so that a finished run is found finished again.
  bool has_ended(std::int64_t iteration, double seconds_at_checkpoint) const;
  // Whether the time is used, or so much of it that no further iteration will begin.
  bool is_time_used(std::int64_t iteration, double seconds) const;
  // "3:05 left", or nothing where the end is not known.
  std::string time_left(std::int64_t iteration) const;

 private:
  const TrainingSettings& settings_;
  double seconds_before_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace wari
