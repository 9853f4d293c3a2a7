#pragma once

#include <cassert>

#include "core/moves.h"
#include "core/sowing.h"

// Bodies of core/moves.h.
namespace wari {

// Single lap and every capture must be made: the rule sets whose moves are plain sowing, with the slam as the only exception. They get a short path of their own.
WARI_HD inline bool is_plain(const Rules& rules) { return rules.laps == Laps::single && rules.capture == Capture::mandatory; }

WARI_HD inline bool rules_out_slams(const Rules& rules) {
  return rules.grand_slam == GrandSlam::forbidden || rules.grand_slam == GrandSlam::forbidden_unless_only;
}

// Legal pits where no slam is ruled out: those that hold seeds, and feed if that is due.
WARI_HD inline std::uint16_t legal_pits(const Rules& rules, Position position) {
  const Row pits = position.mover & kPitsMask;
  if ((position.opponent & kPitsMask) != 0) [[likely]] return gather_pits((pits + kEveryPit7f) & kEveryPit80);
  const std::uint16_t feeding = gather_pits((pits + kReachesFacingRow) & kEveryPit80);
  return feeding == 0 && rules.no_feeding_move == NoFeedingMove::plays_on ? gather_pits((pits + kEveryPit7f) & kEveryPit80) : feeding;
}

// Six-bit masks over the mover's pits, by sowing each of them.
struct SownPits {
  std::uint16_t playable = 0;    // filled, and the relay ends
  std::uint16_t feeding = 0;     // leaves a seed in the opponent's row
  std::uint16_t slam = 0;        // a grand slam
  std::uint16_t declinable = 0;  // something would be captured
};

WARI_HD inline SownPits sow_all_pits(const SowingTables& tables, const Rules& rules, Position position) {
  SownPits sown;
  for (int pit = 0; pit < kPits; ++pit) {
    if (pit_seeds(position.mover, pit) == 0) continue;
    const Sowing sowing = sow(tables, rules, position, pit);
    if (sowing.endless) continue;
    const auto bit = static_cast<std::uint16_t>(1 << pit);
    sown.playable |= bit;
    if ((sowing.opponent & kPitsMask) != 0) sown.feeding |= bit;
    if (is_grand_slam(sowing)) sown.slam |= bit;
    if (captured_pits(sowing, rules.grand_slam) != 0) sown.declinable |= bit;
  }
  return sown;
}

WARI_HD inline std::uint16_t legal_by_sowing(const SowingTables& tables, const Rules& rules, Position position) {
  const SownPits sown = sow_all_pits(tables, rules, position);
  const auto capturing = static_cast<std::uint16_t>(rules_out_slams(rules) ? sown.playable & ~sown.slam : sown.playable);
  const auto declining = static_cast<std::uint16_t>(rules.capture == Capture::optional ? sown.declinable << kPits : 0);
  const bool must_feed = (position.opponent & kPitsMask) == 0;
  auto legal = static_cast<std::uint16_t>((must_feed ? capturing & sown.feeding : capturing) | declining);  // who may decline has seeds there to feed with
  if (legal == 0 && rules.grand_slam == GrandSlam::forbidden_unless_only) legal = sown.slam;
  if (legal == 0 && rules.no_feeding_move == NoFeedingMove::plays_on) legal = capturing;
  return legal;
}

// legal_actions() of plain rule sets.
WARI_HD inline std::uint16_t legal_plain(const SowingTables& tables, const Rules& rules, Position position) {
  // A single lap takes nothing from the opponent's row, so with a pit of four or more there no slam can come about.
  if (rules_out_slams(rules) && (position.opponent & (0xfc * kEveryPit1)) == 0) return legal_by_sowing(tables, rules, position);
  return legal_pits(rules, position);
}

WARI_HD inline std::uint16_t legal_actions(const SowingTables& tables, const Rules& rules, Position position) {
  return is_plain(rules) ? legal_plain(tables, rules, position) : legal_by_sowing(tables, rules, position);
}

WARI_HD inline Status status(const SowingTables& tables, const Rules& rules, Position position) {
  if (store_seeds(position.mover) >= rules.majority() || store_seeds(position.opponent) >= rules.majority()) return {0, End::majority};
  const std::uint16_t legal = legal_actions(tables, rules, position);
  return {legal, legal == 0 ? End::no_move : End::none};
}

// What a grand slam does besides capturing.
WARI_HD inline End slam_end(GrandSlam grand_slam) {
  if (grand_slam == GrandSlam::forbidden_unless_only) return End::slam;
  return grand_slam == GrandSlam::opponent_takes_rest ? End::slam_rest : End::none;
}

// What an action does to the board, with the kind of rule set known: one body, of which the plain kind keeps everything in registers. `legal` is not set, and
// `end` only by a slam that ends the game.
template <bool kPlain>
[[gnu::always_inline]] WARI_HD inline Move sow_and_capture(const SowingTables& tables, const Rules& rules, Position position, int action) {
  const Sowing sowing = kPlain ? sow_single_lap(tables, position, action) : sow(tables, rules, position, action < kPits ? action : action - kPits);
  Row taken = sowing.opponent & sowing.run;
  Move move;
  move.end = End::none;
  move.mover_again = false;
  if (!kPlain && action >= kPits) {
    taken = 0;
  } else if (is_grand_slam(sowing)) [[unlikely]] {
    taken = sowing.opponent & slam_capture(sowing, rules.grand_slam);
    move.end = slam_end(rules.grand_slam);
    move.mover_again = rules.grand_slam == GrandSlam::moves_again;
  }
  const Row captured = as_store(taken);
  const Row mover = sowing.mover + captured, opponent = sowing.opponent - taken;
  move.captured = static_cast<std::uint8_t>(captured >> kStoreShift);
  move.position = {opponent, mover};
  if (move.mover_again) [[unlikely]] move.position = {mover, opponent};
  return move;
}

// play() with the kind of rule set known.
template <bool kPlain>
[[gnu::always_inline]] WARI_HD inline Move play_as(const SowingTables& tables, const Rules& rules, Position position, int action) {
  Move move = sow_and_capture<kPlain>(tables, rules, position, action);
  move.legal = kPlain ? legal_plain(tables, rules, move.position) : legal_actions(tables, rules, move.position);
  if (move.end == End::none) [[likely]] {
    const Row mover = move.mover_again ? move.position.mover : move.position.opponent;
    if (store_seeds(mover) >= rules.majority()) [[unlikely]] {
      move.end = End::majority;
    } else if (move.legal == 0) [[unlikely]] {
      move.end = End::no_move;
    }
  }
  if (move.end != End::none) [[unlikely]] move.legal = 0;
  return move;
}

WARI_HD inline Move play(const SowingTables& tables, const Rules& rules, Position position, int action) {
  assert(action >= 0 && action < kActions && pit_seeds(position.mover, action % kPits) != 0);
  return is_plain(rules) ? play_as<true>(tables, rules, position, action) : play_as<false>(tables, rules, position, action);
}

// Seeds that one pit of position.mover would capture.
WARI_HD inline std::uint8_t preview_pit(const SowingTables& tables, const Rules& rules, Position position, int pit) {
  if (pit_seeds(position.mover, pit) == 0) return kEmptyPit;
  const Sowing sowing = sow(tables, rules, position, pit);
  if (sowing.endless) return kEmptyPit;
  if (rules.grand_slam == GrandSlam::forbidden && is_grand_slam(sowing)) return 0;
  return static_cast<std::uint8_t>(row_seeds(sowing.opponent & captured_pits(sowing, rules.grand_slam)));
}

WARI_HD inline void capture_preview(const SowingTables& tables, const Rules& rules, Position position, std::uint8_t captures[12]) {
  const Position turned = swap_sides(position);
  for (int pit = 0; pit < kPits; ++pit) {
    captures[pit] = preview_pit(tables, rules, position, pit);
    captures[kPits + pit] = preview_pit(tables, rules, turned, pit);
  }
}

WARI_HD inline FinalStores final_stores(const Rules& rules, Position position, End end) {
  const int mover_row = row_seeds(position.mover), opponent_row = row_seeds(position.opponent);
  int mover = 2 * store_seeds(position.mover), opponent = 2 * store_seeds(position.opponent);
  const bool split = end == End::repetition && rules.repetition_award == Award::split;
  if (split) {
    mover += mover_row + opponent_row;
    opponent += mover_row + opponent_row;
  } else if (end == End::no_move || end == End::slam || end == End::quiet || end == End::repetition) {
    mover += 2 * mover_row;
    opponent += 2 * opponent_row;
  } else if (end == End::slam_rest) {
    // The turn has passed to the opponent of the player who slammed.
    mover += 2 * (mover_row + opponent_row);
  }
  return {static_cast<std::int16_t>(mover), static_cast<std::int16_t>(opponent)};
}

}  // namespace wari
