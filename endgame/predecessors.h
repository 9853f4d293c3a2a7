#pragma once

#include "core/moves_inline.h"
#include "endgame/numbering.h"

// The moves of one seed count as a graph: moves that capture nothing, forwards and backwards.
namespace wari {

// Positions here have empty stores; more seeds than any table holds would be needed for a majority.
struct EndgameMoves {
  const SowingTables* tables;
  Rules rules;  // of endgame_rules(), but that no store can hold a majority

  explicit EndgameMoves(const Rules& table_rules) : tables(&sowing_tables()), rules(table_rules) { rules.seeds_per_pit = 6; }

  std::uint16_t legal(const Position& position) const { return legal_actions(*tables, rules, position); }
  Move play(const Position& position, int action) const {
    return is_plain(rules) ? sow_and_capture<true>(*tables, rules, position, action) : sow_and_capture<false>(*tables, rules, position, action);
  }
};

// Whether sowing `pit` leads to the next position without a capture, by the pit itself or by declining what it would capture.
inline bool is_quiet_move(const EndgameMoves& moves, const Position& position, int pit) {
  const Sowing sowing = sow_single_lap(*moves.tables, position, pit);
  const bool captures = captured_pits(sowing, moves.rules.grand_slam) != 0;
  if (captures && moves.rules.capture == Capture::mandatory) return false;
  return ((moves.legal(position) >> (captures ? pit + kPits : pit)) & 1) != 0;
}

// Calls found(position) for every position from which a legal move without a capture leads to `position`, each once. Two pits never lead to one position: the one
// that was sown is empty afterwards, and the other was not.
template <class Found>
void for_each_predecessor(const EndgameMoves& moves, const Position& position, const Found& found) {
  const Position after = swap_sides(position);  // seen by the player who moved
  for (int pit = 0; pit < kPits; ++pit) {
    if (pit_seeds(after.mover, pit) != 0) continue;
    Position before = after;
    for (int place = pit + 1;; ++place) {
      const int at = place % kBoardPits;
      if (at == pit) continue;  // skipped on every lap
      Row& row = at < kPits ? before.mover : before.opponent;
      if (pit_seeds(row, at % kPits) == 0) break;
      row -= Row{1} << (8 * (at % kPits));
      before.mover += Row{1} << (8 * pit);
      if (is_quiet_move(moves, before, pit)) found(before);
    }
  }
}

}  // namespace wari
