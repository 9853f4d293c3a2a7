#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "app/uci/parse.h"

namespace wari {

// By how much searches end late, since they end with a whole batch, and since a machine has other work.
class UciLateness {
 public:
  void add(std::chrono::milliseconds late);
  std::chrono::milliseconds estimate() const;  // the second worst of the last few, so that a hiccup of the machine is not taken for a slow network
  std::chrono::milliseconds worst() const;     // of many: what has to be reckoned with

 private:
  static constexpr std::size_t kFew = 8, kMany = 64;
  std::array<std::chrono::milliseconds, kMany> last_{};
  std::size_t next_ = 0;
};

// What cannot be used for thinking.
struct UciDelays {
  std::chrono::milliseconds overhead{20};  // on the way to and from the other program, for a move
  std::chrono::milliseconds lateness{0};   // as measured
  std::chrono::milliseconds worst{0};      // of the past
};

// For how long to think, from the start of the clock: nothing where no time was given. 0: there is no time for a single batch, so the move is to come from what is known.
struct UciTime {
  std::optional<std::chrono::milliseconds> think;
  bool is_budget = false;  // of a clock: what is not used now is there later
};

UciTime think_time(const UciGo& go, bool north_moves, const UciDelays& delays);

}  // namespace wari
