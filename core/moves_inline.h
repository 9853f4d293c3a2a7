#pragma once

#include <cassert>

#include "core/moves.h"
#include "core/sowing.h"

// Bodies of core/moves.h.
namespace wari {

// Single lap, every capture must be made and no slam is illegal: an action is legal if its pit holds seeds, and feeds if that is due. Most rule sets, most of the time.
WARI_HD inline bool legality_needs_no_sowing(const Rules& rules, const Position& position) {
  if (rules.laps != Laps::single || rules.capture != Capture::mandatory) return false;
  if (rules.grand_slam != GrandSlam::forbidden && rules.grand_slam != GrandSlam::forbidden_unless_only) return true;
  // Sowing takes nothing from the opponent's row, so a pit of four or more cannot become part of a slam.
  return (position.opponent & (0xfc * kEveryPit1)) != 0;
}

WARI_HD inline std::uint16_t legal_pits(const Rules& rules, const Position& position) {
  const Row pits = position.mover & kPitsMask;
  const std::uint16_t filled = gather_pits((pits + kEveryPit7f) & kEveryPit80);
  if ((position.opponent & kPitsMask) != 0) return filled;
  const std::uint16_t feeding = gather_pits((pits + kReachesFacingRow) & kEveryPit80);
  return feeding == 0 && rules.no_feeding_move == NoFeedingMove::plays_on ? filled : feeding;
}

// Six-bit masks over the mover's pits, by sowing each of them.
struct SownPits {
  std::uint16_t playable = 0;    // filled, and the relay ends
  std::uint16_t feeding = 0;     // leaves a seed in the opponent's row
  std::uint16_t slam = 0;        // a grand slam
  std::uint16_t declinable = 0;  // something would be captured
};

WARI_HD inline SownPits sow_all_pits(const SowingTables& tables, const Rules& rules, const Position& position) {
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

WARI_HD inline std::uint16_t legal_by_sowing(const SowingTables& tables, const Rules& rules, const Position& position) {
  const SownPits sown = sow_all_pits(tables, rules, position);
  const bool slams_ruled_out = rules.grand_slam == GrandSlam::forbidden || rules.grand_slam == GrandSlam::forbidden_unless_only;
  const auto capturing = static_cast<std::uint16_t>(slams_ruled_out ? sown.playable & ~sown.slam : sown.playable);
  const auto declining = static_cast<std::uint16_t>(rules.capture == Capture::optional ? sown.declinable << kPits : 0);
  const bool must_feed = (position.opponent & kPitsMask) == 0;
  auto legal = static_cast<std::uint16_t>((must_feed ? capturing & sown.feeding : capturing) | declining);  // who may decline has seeds there to feed with
  if (legal == 0 && rules.grand_slam == GrandSlam::forbidden_unless_only) legal = sown.slam;
  if (legal == 0 && rules.no_feeding_move == NoFeedingMove::plays_on) legal = capturing;
  return legal;
}

WARI_HD inline std::uint16_t legal_actions(const SowingTables& tables, const Rules& rules, const Position& position) {
  if (legality_needs_no_sowing(rules, position)) return legal_pits(rules, position);
  return legal_by_sowing(tables, rules, position);
}

WARI_HD inline Status status(const SowingTables& tables, const Rules& rules, const Position& position) {
  if (store_seeds(position.mover) >= rules.majority() || store_seeds(position.opponent) >= rules.majority()) return {0, End::majority};
  const std::uint16_t legal = legal_actions(tables, rules, position);
  return {legal, legal == 0 ? End::no_move : End::none};
}

// What a grand slam does besides capturing.
WARI_HD inline End slam_end(GrandSlam grand_slam) {
  if (grand_slam == GrandSlam::forbidden_unless_only) return End::slam;
  return grand_slam == GrandSlam::opponent_takes_rest ? End::slam_rest : End::none;
}

WARI_HD inline Move play(const SowingTables& tables, const Rules& rules, const Position& position, int action) {
  const int pit = action < kPits ? action : action - kPits;
  assert(action >= 0 && action < kActions && pit_seeds(position.mover, pit) != 0);
  const Sowing sowing = sow(tables, rules, position, pit);
  Move move;
  move.end = End::none;
  move.mover_again = false;
  Row taken = sowing.opponent & sowing.run;
  if (action >= kPits) {
    taken = 0;
  } else if (is_grand_slam(sowing)) {
    taken = sowing.opponent & slam_capture(sowing, rules.grand_slam);
    move.end = slam_end(rules.grand_slam);
    move.mover_again = rules.grand_slam == GrandSlam::moves_again;
  }
  const int captured = row_seeds(taken);
  const Row mover = sowing.mover + (static_cast<Row>(captured) << kStoreShift);
  const Row opponent = sowing.opponent - taken;
  move.position = move.mover_again ? Position{mover, opponent} : Position{opponent, mover};
  move.captured = static_cast<std::uint8_t>(captured);
  move.legal = 0;
  if (move.end != End::none) return move;
  if (store_seeds(mover) >= rules.majority()) {
    move.end = End::majority;
    return move;
  }
  move.legal = legal_actions(tables, rules, move.position);
  if (move.legal == 0) move.end = End::no_move;
  return move;
}

// Seeds that one pit of position.mover would capture.
WARI_HD inline std::uint8_t preview_pit(const SowingTables& tables, const Rules& rules, const Position& position, int pit) {
  if (pit_seeds(position.mover, pit) == 0) return kEmptyPit;
  const Sowing sowing = sow(tables, rules, position, pit);
  if (sowing.endless) return kEmptyPit;
  if (rules.grand_slam == GrandSlam::forbidden && is_grand_slam(sowing)) return 0;
  return static_cast<std::uint8_t>(row_seeds(sowing.opponent & captured_pits(sowing, rules.grand_slam)));
}

WARI_HD inline void capture_preview(const SowingTables& tables, const Rules& rules, const Position& position, std::uint8_t captures[12]) {
  const Position turned = swap_sides(position);
  for (int pit = 0; pit < kPits; ++pit) {
    captures[pit] = preview_pit(tables, rules, position, pit);
    captures[kPits + pit] = preview_pit(tables, rules, turned, pit);
  }
}

WARI_HD inline FinalStores final_stores(const Rules& rules, const Position& position, End end) {
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
