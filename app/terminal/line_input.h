#pragma once

#include <functional>
#include <optional>
#include <string>

namespace wari {

// Lines of standard input (or another descriptor), for somebody who must also look up when a signal comes.
class LineInput {
 public:
  explicit LineInput(int descriptor) : descriptor_(descriptor) {}
  // The next line without its end; nothing at the end of input, and where `stop` says so (asked about ten times a second).
  std::optional<std::string> next(const std::function<bool()>& stop);

 private:
  static constexpr std::size_t kLongestLine = 1 << 16;  // what is longer is cut

  int descriptor_;
  std::string waiting_;
  bool dropping_ = false;  // the rest of a line that was cut
  bool ended_ = false;
};

}  // namespace wari
