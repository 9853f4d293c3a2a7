#include "endgame/endgame_rules.h"

#include "core/error.h"

namespace wari {

Rules endgame_rules(const Rules& rules) {
  if (rules.laps != Laps::single) {
    throw Error("no endgame table for '" + rules_name(rules) + "': laps: only rules of a single lap are solved, since a turn of several laps cannot be taken back step by step; train and play without tables (--set selfplay.endgame.seeds=0 --set evaluation.table_seeds=0), or choose laps=single");
  }
  // Only what is known to be harmless is made equal: an option that nobody thought of here has tables of its own.
  constexpr Rules kPlain;
  Rules part = rules;
  part.seeds_per_pit = kPlain.seeds_per_pit;
  part.repetition_occurrences = kPlain.repetition_occurrences;
  part.repetition_award = kPlain.repetition_award;
  part.quiet_plies = kPlain.quiet_plies;
  return part;
}

bool shares_endings(const Rules& table, const Rules& rules) { return rules.laps == Laps::single && endgame_rules(rules) == table; }

}  // namespace wari
