#include "app/terminal/style.h"

#include <unistd.h>

#include <cstdlib>

namespace wari {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (!value.empty()) return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

TerminalStyle terminal_style() {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  const std::string terminal = variable("TERM");
  return {variable("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb", speaks_utf8()};
}

std::string painted(const TerminalStyle& style, Paint paint, std::string_view text) {
  constexpr const char* kCodes[] = {"33", "1;32", "1;36", "1;31", "34", "35", "2", "1"};  // in order of Paint: colours that light and dark terminals both show
  if (!style.colours || text.empty()) return std::string(text);
  return std::string("\x1b[") + kCodes[static_cast<int>(paint)] + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace wari
