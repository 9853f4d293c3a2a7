#include "core/notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(Notation, PositionsRoundTrip) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(100)) {
    for (int count = 0; count < 50; ++count) {
      const Position position = random_position(rules, number++);
      ASSERT_EQ(seeds_in_all(position), rules.total_seeds());
      ASSERT_TRUE(parse_position(position_text(position), rules) == position) << position_text(position);
    }
  }
  EXPECT_EQ(position_text(start_position(Rules{})), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
  EXPECT_EQ(position_text(parse_position("48-0-0-0-0-0-0-0-0-0-0-0-0-0-N", Rules{})), "48-0-0-0-0-0-0-0-0-0-0-0-0-0-N");
  EXPECT_TRUE(parse_position("04-4-4-4-4-4-4-4-4-4-4-4-00-0-S", Rules{}) == start_position(Rules{}));
}

TEST(Notation, BoardIsDrawnFromSouthsSide) {
  EXPECT_EQ(board_text(parse_position("1-2-3-4-5-6-7-8-0-10-1-1-0-0-N", Rules{})),
            "        f   e   d   c   b   a\n"
            "  0   | 1 | 1 |10 | 0 | 8 | 7 |  North, to move\n"
            "      +---+---+---+---+---+---+\n"
            "  0   | 1 | 2 | 3 | 4 | 5 | 6 |  South\n"
            "        A   B   C   D   E   F\n");
}

TEST(Notation, MalformedPositionsAreRefused) {
  const auto refuse = [](const std::string& text) { return refusal([&] { parse_position(text, Rules{}); }); };
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4-5-0-0-S"), testing::HasSubstr("49"));
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X"), testing::HasSubstr("'X'"));
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-s"), testing::HasSubstr("'s'"));
  EXPECT_THAT(refuse("4-4-4-S"), testing::HasSubstr("3 numbers"));
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4--4-8-0-S"), testing::HasSubstr("15"));
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4-4--0-S"), testing::HasSubstr("''"));
  EXPECT_THAT(refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0"), testing::HasSubstr("'0'"));
  EXPECT_THAT(refuse("99999999999999999999-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), testing::HasSubstr("'99999999999999999999'"));
  EXPECT_THAT(refuse("73-0-0-0-0-0-0-0-0-0-0-0-0-0-S"), testing::HasSubstr("'73'"));
  EXPECT_THAT(refuse("4x-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), testing::HasSubstr("'4x'"));
  EXPECT_THAT(refuse(" 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), testing::HasSubstr("' 4'"));
  EXPECT_THAT(refuse(""), testing::HasSubstr("position ''"));
}

TEST(Notation, MovesOfBothSidesAndDeclinedCaptures) {
  EXPECT_EQ(move_text(false, 2), "C");
  EXPECT_EQ(move_text(true, 2), "c");
  EXPECT_EQ(move_text(false, 8), "C-");
  EXPECT_EQ(move_text(true, 11), "f-");
}

TEST(Notation, IllegalMovesInALineAreNumberedAndQuoted) {
  const auto refuse = [](const std::string& line) {
    return refusal([&] {
      Game game((Rules()));
      play_line(game, line);
    });
  };
  EXPECT_THAT(refuse("FfFF"), testing::HasSubstr("illegal move 3: 'F'"));
  EXPECT_THAT(refuse("Ff3"), testing::HasSubstr("illegal move 3: '3'"));
  EXPECT_THAT(refuse("fF"), testing::HasSubstr("illegal move 1: 'f'"));
  EXPECT_THAT(refuse("C-"), testing::HasSubstr("illegal move 1: 'C-'"));
  EXPECT_THAT(refuse("-"), testing::HasSubstr("illegal move 1: '-'"));
}

TEST(Notation, NoMoveAfterTheEnd) {
  Game game(Rules{}, parse_position("0-2-0-0-0-0-0-0-0-0-0-0-24-22-S", Rules{}));
  EXPECT_THAT(refusal([&] { play_line(game, "B"); }), testing::HasSubstr("the game is over"));
}

TEST(Notation, LinesRoundTripForAllRuleSets) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(100)) {
    Game game(rules);
    for (std::uint32_t ply = 0; !game.is_over() && ply < 300; ++ply) {
      std::vector<int> actions;
      for (int action = 0; action < kActions; ++action) {
        if ((game.legal() >> action) & 1) actions.push_back(action);
      }
      game.play(actions[test_draw(number, ply, static_cast<std::uint32_t>(actions.size()))]);
    }
    Game again(rules);
    play_line(again, line_text(game));
    ASSERT_TRUE(again.position() == game.position());
    ASSERT_EQ(again.end(), game.end());
    ++number;
  }
}

TEST(Notation, MoveTextsFollowTheSidesAndEndBeforeWhatCannotBePlayed) {
  const Game game((Rules()));
  EXPECT_THAT(move_texts(game, std::vector<int>{5, 5, 4}), testing::ElementsAre("F", "f", "E"));
  EXPECT_THAT(move_texts(game, std::vector<int>{5, 5, 5, 4}), testing::ElementsAre("F", "f"));  // F is empty
  EXPECT_THAT(move_texts(game, std::vector<int>{}), testing::IsEmpty());
}

}  // namespace
}  // namespace wari
