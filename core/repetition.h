#pragma once

#include "core/moves.h"

// The two ends that need a memory of the game: quiet plies and repeated positions.
namespace wari {

// Fewest plies after which a position can recur without a capture: with single laps every pit must have been emptied once.
WARI_HD inline int shortest_cycle_plies(const Rules& rules) { return rules.laps == Laps::single ? 12 : 2; }

// Has the last of `count` positions since the last capture (oldest first, alternating sides) occurred `repetition_occurrences` times?
WARI_HD inline bool is_repeated(const Rules& rules, const Position* since_capture, int count) {
  if (rules.repetition_occurrences == 0) return false;
  const int last = count - 1;
  int occurrences = 1;
  for (int place = last - shortest_cycle_plies(rules); place >= 0; place -= 2) {
    if (since_capture[place] == since_capture[last] && ++occurrences >= rules.repetition_occurrences) return true;
  }
  return false;
}

// The end by quiet plies or repetition of a position that is not over otherwise; `count` - 1 plies have passed since the last capture.
WARI_HD inline End end_by_history(const Rules& rules, const Position* since_capture, int count) {
  if (rules.quiet_plies != 0 && count - 1 >= rules.quiet_plies) return End::quiet;
  return is_repeated(rules, since_capture, count) ? End::repetition : End::none;
}

}  // namespace wari
