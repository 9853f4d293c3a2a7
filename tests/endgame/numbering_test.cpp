#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/notation.h"
#include "endgame/numbering.h"
#include "endgame/predecessors.h"
#include "tests/endgame/endgame_rule_sets.h"

namespace wari {
namespace {

const EndgameNumbering& numbering = endgame_numbering();

TEST(Numbering, CountsBoardsAsBinomialsDo) {
  EXPECT_EQ(first_board(numbering, 0), 0u);
  EXPECT_EQ(first_board(numbering, 1), 1u);
  EXPECT_EQ(first_board(numbering, 2), 13u);
  EXPECT_EQ(first_board(numbering, 13), 2704156u);          // C(24, 12)
  EXPECT_EQ(first_board(numbering, kMostTableSeeds + 1), 1251677700u);  // C(36, 12)
}

TEST(Numbering, GoesBothWaysAndInOrder) {
  for (int seeds = 0; seeds <= 9; ++seeds) {
    const std::uint32_t first = first_board(numbering, seeds), end = first_board(numbering, seeds + 1);
    Position board = numbered_board(numbering, first);
    for (std::uint32_t number = first; number < end; ++number) {
      ASSERT_EQ(board, numbered_board(numbering, number)) << number;
      ASSERT_EQ(board_number(numbering, board), number);
      ASSERT_EQ(row_seeds(board.mover) + row_seeds(board.opponent), seeds);
      if (number + 1 < end) board = next_board(board);
    }
  }
}

TEST(Numbering, HoldsForTheLargestBoards) {
  const std::uint32_t end = first_board(numbering, kMostTableSeeds + 1);
  for (std::uint32_t number = end - 1; number > 1000003; number -= 1000003) {
    EXPECT_EQ(board_number(numbering, numbered_board(numbering, number)), number);
  }
  EXPECT_EQ(board_number(numbering, {kMostTableSeeds, 0}), end - 1);
}

TEST(Numbering, StoresAndOwnerPlayNoPart) {
  const Rules rules;
  EXPECT_EQ(board_number(numbering, parse_position("0-0-1-0-2-0-0-3-0-0-0-1-20-21-S", rules)),
            board_number(numbering, parse_position("0-3-0-0-0-1-0-0-1-0-2-0-41-0-N", rules)));
}

// Backwards the graph is the same as forwards, edge by edge.
TEST(Predecessors, AreThePositionsWhoseQuietMovesLeadHere) {
  constexpr int kSeeds = 6;
  for (const Rules& rules : endgame_rule_sets()) {
    const EndgameMoves moves(rules);
    std::map<std::uint32_t, std::vector<std::uint32_t>> forwards, backwards;
    for (std::uint32_t number = first_board(numbering, kSeeds); number < first_board(numbering, kSeeds + 1); ++number) {
      const Position board = numbered_board(numbering, number);
      for (int action = 0; action < kActions; ++action) {
        if (((legal_actions(sowing_tables(), moves.rules, board) >> action) & 1) == 0) continue;
        const Move move = play(sowing_tables(), moves.rules, board, action);
        if (move.captured == 0) forwards[board_number(numbering, move.position)].push_back(number);
      }
      for_each_predecessor(moves, board, [&](const Position& before) { backwards[number].push_back(board_number(numbering, before)); });
    }
    for (auto& [number, before] : backwards) std::sort(before.begin(), before.end());
    for (auto& [number, before] : forwards) std::sort(before.begin(), before.end());
    EXPECT_EQ(forwards, backwards) << rules_name(rules);
  }
}

TEST(Predecessors, AreFoundThroughWholeLaps) {
  // Twelve and more seeds in one pit: the sowing goes round and skips the pit that it came from.
  const EndgameMoves moves{Rules{}};
  for (const char* text : {"12-0-0-0-0-0-0-0-0-0-0-1-0-35-S", "0-0-0-0-0-14-3-0-3-0-4-0-24-0-S", "0-24-0-0-0-0-0-0-0-0-0-0-24-0-S"}) {
    const Position before = parse_position(text, Rules{});
    const Position board{before.mover & kPitsMask, before.opponent & kPitsMask};
    const int pit = pit_seeds(board.mover, 0) > 9 ? 0 : pit_seeds(board.mover, 1) > 9 ? 1 : 5;
    const Move move = play(sowing_tables(), moves.rules, board, pit);
    ASSERT_EQ(move.captured, 0) << text;
    int found = 0;
    for_each_predecessor(moves, move.position, [&](const Position& other) { found += other == board; });
    EXPECT_EQ(found, 1) << text;
  }
}

}  // namespace
}  // namespace wari
