#include "endgame/endgame_rules.h"

#include "core/error.h"

namespace wari {

Rules endgame_rules(const Rules& rules) {
  if (rules.laps != Laps::single) {
    throw Error("no endgame table for '" + rules_name(rules) + "': laps: only rules of a single lap are solved, since a turn of several laps cannot be taken back step by step; choose laps=single");
  }
  Rules part;
  part.capture = rules.capture;
  part.grand_slam = rules.grand_slam;
  part.no_feeding_move = rules.no_feeding_move;
  return part;
}

bool shares_endings(const Rules& table, const Rules& rules) { return rules.laps == Laps::single && endgame_rules(rules) == table; }

}  // namespace wari
