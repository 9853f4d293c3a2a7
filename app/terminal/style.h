#pragma once

#include <string>
#include <string_view>

namespace wari {

// What the text may use: nothing beyond plain letters where it goes into a file or a pipe.
struct TerminalStyle {
  bool colours = false;
  bool unicode = false;
};

// Of standard output: colours on a terminal unless NO_COLOR is set (https://no-color.org), lines and dots where its characters are UTF-8.
TerminalStyle terminal_style();

enum class Paint { seeds, legal, played, captured, south, north, faint, strong };
std::string painted(const TerminalStyle& style, Paint paint, std::string_view text);

}  // namespace wari
