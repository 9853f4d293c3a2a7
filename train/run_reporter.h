#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/log.h"

namespace wari {

// What a person at the terminal hears of a run: what is under way, and a line for an iteration. Off a terminal at most one line in ten seconds, but for the
// first iteration, the last one, and those with an Elo.
class RunReporter {
 public:
  RunReporter();
  ~RunReporter();  // the last iteration's line, if it was not shown
  RunReporter(const RunReporter&) = delete;
  RunReporter& operator=(const RunReporter&) = delete;

  void stage(std::int64_t iteration, const char* name, std::int64_t done, std::int64_t of, const std::string& time_left);
  void iteration(const nlohmann::ordered_json& line, const std::string& time_left);

 private:
  void show(const nlohmann::ordered_json& line, const std::string& time_left);
  bool is_quiet() const;  // a line was shown less than ten seconds ago

  bool terminal_;
  Progress progress_;
  bool shown_ = false;  // an iteration's line
  std::chrono::steady_clock::time_point last_shown_ = std::chrono::steady_clock::now();
  nlohmann::ordered_json pending_;  // not shown yet
};

}  // namespace wari
