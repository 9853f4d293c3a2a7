#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Messages for the person at the terminal: always on standard error, one line each, so that standard output stays what the command promised.
namespace wari {

enum class LogLevel { debug, info, warning, error, off };

const std::vector<std::string>& log_level_names();  // in order of LogLevel
void set_log_level(LogLevel level);
void log_line(LogLevel level, std::string_view message);

template <class... Arguments>
void log_debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_line(LogLevel::debug, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void log_info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_line(LogLevel::info, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void log_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_line(LogLevel::warning, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void log_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_line(LogLevel::error, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Progress of something long: on a terminal one line that is written over, elsewhere a plain line at most every ten seconds. Used by one thread.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::string_view line);
  // Ends the line written over, so that a message may follow.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  double last_seconds_;  // a log gets its first line after the first ten seconds: what is done by then needs none
};

}  // namespace wari
