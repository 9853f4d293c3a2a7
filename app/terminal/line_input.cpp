#include "app/terminal/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace wari {

std::optional<std::string> LineInput::next(const std::function<bool()>& stop) {
  for (;;) {
    if (dropping_) {
      const std::size_t rest = std::min(waiting_.find('\n'), waiting_.size());
      dropping_ = rest == waiting_.size();
      waiting_.erase(0, rest + 1);
    }
    const std::size_t end = waiting_.find('\n');
    if (end != std::string::npos || ended_ || waiting_.size() >= kLongestLine) {
      if (waiting_.empty()) return {};
      std::string line = waiting_.substr(0, std::min(end, waiting_.size()));
      dropping_ = end == std::string::npos && !ended_;
      waiting_.erase(0, end == std::string::npos ? waiting_.size() : end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    pollfd ready{descriptor_, POLLIN, 0};
    const int count = ::poll(&ready, 1, 100);
    if (stop()) return {};
    if (count <= 0) continue;
    char bytes[4096];
    const ssize_t got = ::read(descriptor_, bytes, sizeof bytes);
    if (got > 0)
      waiting_.append(bytes, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      ended_ = true;
  }
}

}  // namespace wari
