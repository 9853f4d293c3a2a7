#include "app/uci/channel.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "app/uci/parse.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;  // a game of 10,000 moves fits

bool is_quit(std::string_view line) {
  const std::vector<std::string> words = uci_words(line);
  return !words.empty() && words[0] == "quit";
}

}  // namespace

void UciChannel::say(const std::string& line) {
  if (line.empty()) return;
  const std::lock_guard lock(mutex_);
  log('>', line);
  // Whoever listens may be gone; the end of the input will tell.
  std::fwrite((line + "\n").data(), 1, line.size() + 1, stdout);
  std::fflush(stdout);
}

void UciChannel::set_log_file(const std::string& file) {
  std::unique_ptr<std::FILE, Close> opened;
  if (!file.empty()) {
    opened.reset(std::fopen(file.c_str(), "ae"));
    if (!opened) throw Error("cannot write (" + std::string(std::strerror(errno)) + "): " + quote(file) + ": check the log file's folder and its permissions");
  }
  const std::lock_guard lock(mutex_);
  log_ = std::move(opened);
}

void UciChannel::log(char direction, std::string_view line) {
  if (!log_) return;
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  fmt::print(log_.get(), "{:%F %T}.{:03} {} {}\n", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms, direction, line);
  std::fflush(log_.get());
}

void UciChannel::read_lines(const std::function<void(std::string_view line)>& take) {
  std::string line;
  char block[4096];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      if (block[i] != '\n') {
        if (line.size() < kLongestLine) line += block[i];
        continue;
      }
      {
        const std::lock_guard lock(mutex_);
        log('<', line);
      }
      take(line);
      if (is_quit(line)) return;
      line.clear();
    }
  }
  if (!line.empty()) take(line);  // the last one without an end
}

}  // namespace wari
