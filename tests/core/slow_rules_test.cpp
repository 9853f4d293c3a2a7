#include "tests/core/slow_rules.h"

#include <gtest/gtest.h>

#include "core/moves.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

int action_of(const slow::Action& action) { return action.pit % 6 + (action.declined ? kPits : 0); }

std::uint16_t mask_of(const std::vector<slow::Action>& actions) {
  std::uint16_t mask = 0;
  for (const slow::Action& action : actions) mask = static_cast<std::uint16_t>(mask | 1 << action_of(action));
  return mask;
}

// Final stores in half seeds, South's first.
std::vector<int> south_first(const Position& position, const FinalStores& stores) {
  if (north_moves(position)) return {stores.opponent_half_seeds, stores.mover_half_seeds};
  return {stores.mover_half_seeds, stores.opponent_half_seeds};
}

void compare_move(const Rules& rules, const Position& position, const slow::Board& board, const slow::Action& action) {
  const slow::After expected = slow::play(rules, board, action);
  const Move move = play(sowing_tables(), rules, position, action_of(action));
  ASSERT_EQ(move.end != End::none, expected.over);
  ASSERT_EQ(move.legal == 0, expected.over);
  ASSERT_EQ(move.captured, expected.board.stores[board.side] - board.stores[board.side]);
  if (!expected.over) {
    ASSERT_EQ(position_text(move.position), slow::text_of(expected.board));
    ASSERT_EQ(move.mover_again, expected.board.side == board.side);
    ASSERT_EQ(move.legal, mask_of(slow::legal(rules, expected.board)));
  } else {
    const std::vector<int> stores = south_first(move.position, final_stores(rules, move.position, move.end));
    ASSERT_EQ(stores[0], expected.half_stores[0]);
    ASSERT_EQ(stores[1], expected.half_stores[1]);
  }
}

// What each pit of the player to move would capture, found by playing it.
void compare_preview(const Rules& rules, const Position& position, const slow::Board& board, const std::uint8_t* captures) {
  for (int pit = 0; pit < kPits; ++pit) {
    const int place = 6 * board.side + pit;
    int expected = kEmptyPit;
    if (board.pits[static_cast<std::size_t>(place)] > 0) {
      const slow::Sown sown = slow::sow(rules, board, place);
      if (!sown.endless) {
        expected = 0;
        const bool illegal = sown.slam && rules.grand_slam == GrandSlam::forbidden;
        for (const int captured : slow::captures(rules, sown)) expected += illegal ? 0 : sown.board.pits[static_cast<std::size_t>(captured)];
      }
    }
    ASSERT_EQ(captures[pit], expected) << "pit " << pit;
    if (((legal_actions(sowing_tables(), rules, position) >> pit) & 1) != 0) {
      ASSERT_EQ(captures[pit], play(sowing_tables(), rules, position, pit).captured);
    }
  }
}

void compare(const Rules& rules, const Position& position) {
  const slow::Board board = slow::board_of(position);
  ASSERT_EQ(slow::text_of(board), position_text(position));
  const std::vector<slow::Action> expected = slow::legal(rules, board);
  ASSERT_EQ(legal_actions(sowing_tables(), rules, position), mask_of(expected));
  for (const slow::Action& action : expected) {
    SCOPED_TRACE(move_text(position, action_of(action)));
    compare_move(rules, position, board, action);
  }
  std::uint8_t captures[12];
  capture_preview(sowing_tables(), rules, position, captures);
  compare_preview(rules, position, board, captures);
  compare_preview(rules, swap_sides(position), slow::board_of(swap_sides(position)), captures + kPits);
}

TEST(SlowRules, AgreeWithTheFastOnesOnRandomPositionsOfAllRuleSets) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(600)) {
    for (int count = 0; count < 120; ++count) {
      const Position position = random_position(rules, number++);
      SCOPED_TRACE(rules_name(rules) + " " + position_text(position));
      compare(rules, position);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SlowRules, AgreeWithTheFastOnesOverWholeGames) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(150)) {
    for (int count = 0; count < 3; ++count) {
      Position position = start_position(rules);
      for (std::uint32_t ply = 0; ply < 120; ++ply) {
        const std::vector<slow::Action> actions = slow::legal(rules, slow::board_of(position));
        SCOPED_TRACE(rules_name(rules) + " " + position_text(position));
        compare(rules, position);
        if (HasFatalFailure()) return;
        if (actions.empty()) break;
        const auto pick = test_draw(number, ply, static_cast<std::uint32_t>(actions.size()));
        const Move move = play(sowing_tables(), rules, position, action_of(actions[pick]));
        if (move.end != End::none) break;
        position = move.position;
      }
      ++number;
    }
  }
}

}  // namespace
}  // namespace wari
