#include "core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

namespace wari {

namespace {

// spdlog keeps its loggers in a registry of its own; ours goes there under this name.
constexpr const char* kLogger = "wari";

std::shared_ptr<spdlog::logger> logger() {
  if (auto existing = spdlog::get(kLogger)) return existing;
  try {
    auto made = spdlog::stderr_color_mt(kLogger);
    made->set_pattern("%H:%M:%S %^%l%$ %v");
    return made;
  } catch (const spdlog::spdlog_ex&) {  // another thread was first
    return spdlog::get(kLogger);
  }
}

double now_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

const std::vector<std::string>& log_level_names() {
  static const std::vector<std::string> kNames{"debug", "info", "warning", "error", "off"};
  return kNames;
}

void set_log_level(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err, spdlog::level::off};
  logger()->set_level(kLevels[static_cast<int>(level)]);
}

void log_line(LogLevel level, std::string_view message) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err, spdlog::level::off};
  std::string line(message);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  logger()->log(kLevels[static_cast<int>(level)], "{}", line);
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), last_seconds_(terminal_ ? -1e9 : now_seconds()) {}

Progress::~Progress() { clear(); }

void Progress::update(std::string_view line) {
  const double now = now_seconds();
  if (now - last_seconds_ < (terminal_ ? 0.1 : 10.0)) return;
  last_seconds_ = now;
  std::fprintf(stderr, terminal_ ? "\r\x1b[K%.*s" : "%.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (terminal_ && shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace wari
