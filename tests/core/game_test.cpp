#include "core/game.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/notation.h"
#include "core/repetition.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

int random_legal(const Game& game, std::uint64_t number, std::uint32_t ply) {
  std::vector<int> actions;
  for (int action = 0; action < kActions; ++action) {
    if ((game.legal() >> action) & 1) actions.push_back(action);
  }
  return actions[test_draw(number, ply, static_cast<std::uint32_t>(actions.size()))];
}

void expect_same(const Game& a, const Game& b) {
  ASSERT_TRUE(a.position() == b.position());
  ASSERT_EQ(a.legal(), b.legal());
  ASSERT_EQ(a.end(), b.end());
  ASSERT_EQ(a.plies(), b.plies());
  ASSERT_EQ(a.quiet_plies(), b.quiet_plies());
  ASSERT_EQ(a.since_capture().size(), b.since_capture().size());
  for (std::size_t place = 0; place < a.since_capture().size(); ++place) ASSERT_TRUE(a.since_capture()[place] == b.since_capture()[place]);
}

TEST(Game, TakeBackOverTheEndRestoresEverything) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(60)) {
    Game game(rules);
    std::vector<Game> snapshots;
    for (std::uint32_t ply = 0; !game.is_over(); ++ply) {
      snapshots.push_back(game);
      game.play(random_legal(game, number, ply));
    }
    while (game.plies() > 0) {
      game.take_back();
      expect_same(game, snapshots[static_cast<std::size_t>(game.plies())]);
      if (HasFatalFailure()) return;
    }
    EXPECT_THROW(game.take_back(), Error);
    ++number;
  }
}

TEST(Game, ABranchFromAnyEarlierPlyKnowsNothingOfTheOldLine) {
  std::uint64_t number = 1000;
  for (const Rules& rules : many_rule_sets(20)) {
    Game game(rules);
    for (std::uint32_t ply = 0; !game.is_over(); ++ply) game.play(random_legal(game, number, ply));
    while (game.plies() > 1) {
      game.take_back();
      Game fresh(rules);
      play_line(fresh, line_text(game));
      expect_same(game, fresh);
      if (HasFatalFailure()) return;
      for (int back = 0; back < 7 && game.plies() > 1; ++back) game.take_back();
    }
    ++number;
  }
}

TEST(Game, APositionFromOutsideHasTheSameStatusAsAReplayToIt) {
  std::uint64_t number = 2000;
  for (const Rules& rules : many_rule_sets(60)) {
    Game game(rules);
    for (std::uint32_t ply = 0; !game.is_over(); ++ply) {
      game.play(random_legal(game, number, ply));
      const Game outside(rules, game.position());
      if (game.end() == End::quiet || game.end() == End::repetition || game.end() == End::slam || game.end() == End::slam_rest) break;  // these need the past
      ASSERT_EQ(outside.legal(), game.legal());
      ASSERT_EQ(outside.end(), game.end());
    }
    ++number;
  }
}

TEST(Game, AGameOfFiveHundredPliesIsStoredAndReplayed) {
  const Rules rules = parse_rules("abapa,repetition.occurrences=0,quiet_plies=1000");
  Game game(rules, parse_position("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", rules));
  while (!game.is_over()) game.play(__builtin_ctz(game.legal()));
  EXPECT_EQ(game.end(), End::quiet);
  EXPECT_EQ(game.plies(), 1000);
  EXPECT_EQ(game.quiet_plies(), 1000);
  EXPECT_EQ(game.since_capture().size(), 1001u);
  Game again(rules, game.start());
  play_line(again, line_text(game));
  expect_same(game, again);
}

TEST(Game, TheLineOfEveryPlyHoldsExactlyTheMovesPlayed) {
  Game game((Rules()));
  std::vector<std::string> lines = {""};
  for (std::uint32_t ply = 0; ply < 40; ++ply) {
    const int action = random_legal(game, 7, ply);
    lines.push_back(lines.back() + move_text(game.position(), action));
    game.play(action);
    ASSERT_EQ(line_text(game), lines.back());
  }
  while (game.plies() > 0) {
    game.take_back();
    ASSERT_EQ(line_text(game), lines[static_cast<std::size_t>(game.plies())]);
  }
}

TEST(Game, StoresAsIfTheGameEndedHere) {
  const Rules rules;
  for (const char* text : {"1-2-0-0-0-3-0-0-4-0-0-5-20-13-S", "1-2-0-0-0-3-0-0-4-0-0-5-20-13-N"}) {
    const Game game(rules, parse_position(text, rules));
    EXPECT_EQ(side_stores(game).south_half_seeds, 40) << text;
    EXPECT_EQ(side_stores(game).north_half_seeds, 26) << text;
    EXPECT_EQ(side_stores(game, End::none).north_half_seeds, 26) << text;
    EXPECT_EQ(side_stores(game, End::quiet).south_half_seeds, 52) << text;  // each takes the own row
    EXPECT_EQ(side_stores(game, End::quiet).north_half_seeds, 44) << text;
  }
}

TEST(Game, IllegalActionsAreRefused) {
  Game game((Rules()));
  EXPECT_THROW(game.play(-1), Error);
  EXPECT_THROW(game.play(6), Error);
  EXPECT_THROW(game.play(12), Error);
}

TEST(Repetition, OnlyDistancesThatCanRecurAreLookedAt) {
  // With single laps no position recurs in fewer than twelve plies; with others it can.
  std::uint64_t number = 3000;
  for (const Rules& rules : many_rule_sets(60)) {
    Game game(rules);
    for (std::uint32_t ply = 0; !game.is_over(); ++ply) {
      game.play(random_legal(game, number, ply));
      const std::vector<Position> history = game.since_capture();
      int occurrences = 0;
      for (const Position& position : history) occurrences += position == game.position();
      const bool repeated = rules.repetition_occurrences != 0 && occurrences >= rules.repetition_occurrences;
      if (game.end() == End::none) {
        ASSERT_FALSE(repeated);
      } else if (game.end() == End::repetition) {
        ASSERT_TRUE(repeated);
      }
    }
    ++number;
  }
}

}  // namespace
}  // namespace wari
