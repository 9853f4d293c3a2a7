#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/game.h"

// Lines of the protocol, taken apart. What a program of others may send is read leniently: letter case of keywords, repeated blanks and unknown words do not matter where
// the meaning is clear. Readers throw Error.
namespace wari {

struct UciClock {
  std::optional<std::chrono::milliseconds> left;  // without it there is no clock
  std::chrono::milliseconds increment{0};
};

struct UciGo {
  std::optional<std::chrono::milliseconds> movetime;
  std::optional<int> depth;
  std::optional<std::int64_t> nodes;
  UciClock south, north;                 // wtime, winc; btime, binc
  int moves_to_go = 0;                   // 0: the clock is for the whole game
  bool infinite = false;
  bool ponder = false;
  std::vector<std::string> ignored;      // words that were understood but have no effect: mate, searchmoves

  const UciClock& clock(bool north_moves) const { return north_moves ? north : south; }
};

struct UciOption {
  std::string name, value;
};

// The words of a line; blanks, tabs and whatever else is no visible character separate them.
std::vector<std::string> uci_words(std::string_view line);

// `words` without the command itself.
UciGo parse_go(const std::vector<std::string>& words);
Game parse_uci_position(const std::vector<std::string>& words, const Rules& rules);
UciOption parse_setoption(const std::vector<std::string>& words);

// A whole number within bounds; `what` names it in the message.
std::int64_t parse_uci_number(const std::string& text, std::int64_t low, std::int64_t high, const std::string& what);

}  // namespace wari
