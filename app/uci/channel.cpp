#include "app/uci/channel.h"

#include <fmt/chrono.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

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

// After a call that failed: is it to be tried again? A descriptor that somebody has set not to block is waited for.
bool wait_for(int descriptor, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd ready{descriptor, events, 0};
  return ::poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void UciChannel::say(const std::string& line) {
  if (line.empty()) return;
  const std::lock_guard lock(mutex_);
  log('>', line);
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && wait_for(STDOUT_FILENO, POLLOUT)) continue;
    if (count <= 0) return;  // whoever listened is gone; the end of the input will tell
    done += static_cast<std::size_t>(count);
  }
}

void UciChannel::set_log_file(const std::string& file) {
  std::unique_ptr<std::FILE, Close> opened;
  if (!file.empty()) {
    std::error_code failed;
    if (std::filesystem::exists(file, failed) && !std::filesystem::is_regular_file(file, failed)) throw Error("not a file that lines can be added to: " + quote(file) + ": name another log file");
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
    if (count < 0 && wait_for(STDIN_FILENO, POLLIN)) continue;
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
