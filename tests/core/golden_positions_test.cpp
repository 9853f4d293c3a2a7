#include <gtest/gtest.h>

#include "core/notation.h"
#include "tests/core/rule_mixes.h"
#include "tests/core/slow_rules.h"

// Positions on which other programs of this kind have failed.
namespace wari {
namespace {

const Rules kAbapa;

Rules with_slam(GrandSlam grand_slam) {
  Rules rules;
  rules.grand_slam = grand_slam;
  return rules;
}

Game game_at(const std::string& position, const Rules& rules = kAbapa) { return Game(rules, parse_position(position, rules)); }

std::string after(const std::string& position, const std::string& line, const Rules& rules = kAbapa) {
  Game game = game_at(position, rules);
  play_line(game, line);
  return position_text(game.position());
}

std::string legal_moves(const Game& game) {
  std::string text;
  for (int action = 0; action < kActions; ++action) {
    if ((game.legal() >> action) & 1) text += move_text(game.position(), action);
  }
  return text;
}

// Final stores in seeds, South's first.
std::pair<double, double> stores(const Game& game) {
  const FinalStores final = game.final_stores();
  const double mover = final.mover_half_seeds / 2.0, opponent = final.opponent_half_seeds / 2.0;
  return north_moves(game.position()) ? std::pair(opponent, mover) : std::pair(mover, opponent);
}

using Score = std::pair<double, double>;

TEST(Rules, AMajorityEndsTheGameAtOnceAndSeedsOnTheBoardStayUncounted) {
  Game game = game_at("0-0-8-0-0-1-1-1-1-1-2-3-15-15-S");
  play_line(game, "C");
  EXPECT_EQ(game.end(), End::majority);
  EXPECT_EQ(game.legal(), 0);
  EXPECT_EQ(stores(game), Score(26, 15));
}

TEST(Rules, NoFinishedGameOffersMoves) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(100)) {
    for (int count = 0; count < 100; ++count) {
      const Game game(rules, random_position(rules, number++));
      ASSERT_EQ(game.is_over(), game.legal() == 0);
    }
  }
  EXPECT_TRUE(game_at("4-4-4-4-4-3-0-0-0-0-0-0-25-0-S").is_over());
  EXPECT_TRUE(game_at("4-4-4-4-4-3-0-0-0-0-0-0-0-25-S").is_over());
  EXPECT_FALSE(game_at("4-4-4-4-4-4-0-0-0-0-0-0-0-24-S").is_over());
}

TEST(Rules, CaptureFromARowThatWasEmpty) {
  EXPECT_EQ(after("0-0-0-0-0-12-0-0-0-0-0-0-18-18-S", "F"), "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N");
  EXPECT_EQ(after("0-0-0-0-0-17-0-0-0-0-0-0-16-15-S", "F"), "1-1-1-1-1-0-2-2-2-2-2-2-16-15-N");  // a slam from an empty row captures nothing
}

TEST(Rules, EverySlamRuleHasItsOwnResult) {
  const std::string slam = "3-0-0-0-0-2-1-1-0-0-0-0-21-20-S";  // F makes 2 and 2 in a and b: all that North has
  EXPECT_EQ(after(slam, "F"), "3-0-0-0-0-0-2-2-0-0-0-0-21-20-N");
  EXPECT_EQ(legal_moves(game_at(slam, with_slam(GrandSlam::forbidden))), "A");
  EXPECT_EQ(legal_moves(game_at(slam, with_slam(GrandSlam::forbidden_unless_only))), "A");
  EXPECT_EQ(after(slam, "F", with_slam(GrandSlam::spares_last)), "3-0-0-0-0-0-0-2-0-0-0-0-23-20-N");
  EXPECT_EQ(after(slam, "F", with_slam(GrandSlam::spares_first)), "3-0-0-0-0-0-2-0-0-0-0-0-23-20-N");
  Game rest = game_at(slam, with_slam(GrandSlam::opponent_takes_rest));
  play_line(rest, "F");
  EXPECT_EQ(rest.end(), End::slam_rest);
  EXPECT_EQ(stores(rest), Score(25, 23));
  Game again = game_at("6-0-0-0-0-2-1-1-0-0-0-0-18-20-S", with_slam(GrandSlam::moves_again));
  play_line(again, "F");
  EXPECT_EQ(position_text(again.position()), "6-0-0-0-0-0-0-0-0-0-0-0-22-20-S");
  EXPECT_EQ(legal_moves(again), "A");  // must feed
  Game only = game_at("0-0-0-0-0-2-1-1-0-0-0-0-22-22-S", with_slam(GrandSlam::forbidden_unless_only));
  EXPECT_EQ(legal_moves(only), "F");
  play_line(only, "F");
  EXPECT_EQ(only.end(), End::slam);
  EXPECT_EQ(stores(only), Score(26, 22));
}

TEST(Rules, ASlamThatEndsTheGamePaysWhatItSaysEvenPastAMajority) {
  Game game = game_at("3-0-0-0-0-2-1-1-0-0-0-0-23-18-S", with_slam(GrandSlam::opponent_takes_rest));
  play_line(game, "F");
  EXPECT_EQ(game.end(), End::slam_rest);
  EXPECT_EQ(stores(game), Score(27, 21));
}

TEST(Rules, AMajorityBySlamEndsTheGameUnderMovesAgain) {
  Game game = game_at("3-0-0-0-0-2-1-1-0-0-0-0-23-18-S", with_slam(GrandSlam::moves_again));
  play_line(game, "F");
  EXPECT_EQ(game.end(), End::majority);
  EXPECT_EQ(stores(game), Score(27, 18));
}

TEST(Rules, ADrawByTheLastSeedsInTheOwnRow) {
  const Game game = game_at("0-0-0-0-0-0-1-1-0-0-0-0-24-22-N");
  EXPECT_TRUE(game.is_over());
  EXPECT_EQ(game.end(), End::no_move);
  EXPECT_EQ(stores(game), Score(24, 24));
}

TEST(Rules, NoFeedingMoveEndsTheGameOrPlaysOn) {
  const std::string position = "1-1-0-0-0-0-0-0-0-0-0-0-22-24-S";
  const Game game = game_at(position);
  EXPECT_EQ(game.end(), End::no_move);
  EXPECT_EQ(stores(game), Score(24, 24));
  Rules plays_on;
  plays_on.no_feeding_move = NoFeedingMove::plays_on;
  EXPECT_EQ(legal_moves(game_at(position, plays_on)), "AB");
}

TEST(Rules, ACycleEndsWithTheOwnRowsAndMayBeADraw) {
  Rules rules;
  Game game = game_at("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", rules);
  while (!game.is_over()) game.play(__builtin_ctz(game.legal()));
  EXPECT_EQ(game.end(), End::repetition);
  EXPECT_EQ(stores(game), Score(24, 24));
  Game split = game_at("1-0-0-0-0-0-1-0-0-0-0-0-24-22-S", parse_rules("abapa,repetition.award=split"));
  while (!split.is_over()) split.play(__builtin_ctz(split.legal()));
  EXPECT_EQ(split.end(), End::repetition);
  EXPECT_EQ(stores(split), Score(25, 23));
}

TEST(Rules, TheKthOccurrenceEndsTheGame) {
  for (int occurrences = 2; occurrences <= 10; ++occurrences) {
    Rules rules;
    rules.repetition_occurrences = static_cast<std::uint8_t>(occurrences);
    Game game = game_at("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", rules);
    while (!game.is_over()) game.play(__builtin_ctz(game.legal()));
    EXPECT_EQ(game.end(), End::repetition);
    EXPECT_EQ(game.plies(), 12 * (occurrences - 1));  // each seed goes round: twelve plies a cycle
  }
}

TEST(Rules, QuietPliesEndTheGameBeforeARepetition) {
  Rules rules;
  rules.quiet_plies = 12;
  Game game = game_at("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", rules);
  while (!game.is_over()) game.play(__builtin_ctz(game.legal()));
  EXPECT_EQ(game.plies(), 12);
  EXPECT_EQ(game.end(), End::quiet);
}

TEST(Rules, TheSowingSkipsItsPitOnEveryLap) {
  EXPECT_EQ(after("11-0-0-0-0-0-0-0-0-0-0-0-19-18-S", "A"), "0-1-1-1-1-1-1-1-1-1-1-1-19-18-N");
  EXPECT_EQ(after("12-0-0-0-0-0-0-0-0-0-0-0-18-18-S", "A"), "0-2-1-1-1-1-1-1-1-1-1-1-18-18-N");
  EXPECT_EQ(after("23-0-0-0-0-0-0-0-0-0-0-0-13-12-S", "A"), "0-3-2-2-2-2-2-2-2-2-2-2-13-12-N");
}

TEST(Rules, EveryPitWithUpToAllSeedsIsSownAsBySlowRules) {
  Rules rules = parse_rules("short");
  for (int pit = 0; pit < kPits; ++pit) {
    for (int seeds = 1; seeds <= kMaxSeeds; ++seeds) {
      Position position = swap_sides(swap_sides(Position{Row{static_cast<Row>(seeds)} << (8 * pit), Row{1} << kOwnerShift}));
      position.opponent |= static_cast<Row>(kMaxSeeds - seeds) << kStoreShift;
      slow::Board board = slow::board_of(position);
      const slow::After expected = slow::play(rules, board, {pit, false});
      const Move move = play(sowing_tables(), rules, position, pit);
      ASSERT_EQ(move.captured, expected.board.stores[0]);
      board = slow::board_of(move.position);
      ASSERT_EQ(board.pits, expected.board.pits) << pit << " " << seeds;
    }
  }
}

TEST(Rules, TheOnlyLegalMoveMayBeTheFirstPit) {
  EXPECT_EQ(game_at("3-0-0-0-0-0-1-0-0-0-0-0-22-22-S").legal(), 1);
  EXPECT_EQ(game_at("1-0-0-0-0-0-3-0-0-0-0-0-22-22-N").legal(), 1);
  EXPECT_FALSE(game_at("3-0-0-0-0-0-1-0-0-0-0-0-22-22-S").is_over());
}

TEST(Rules, ThePlayerWithoutAMoveMayWin) {
  const Game game = game_at("0-0-0-0-0-0-0-0-0-0-0-24-24-0-S");
  EXPECT_EQ(game.end(), End::no_move);
  EXPECT_EQ(stores(game), Score(24, 24));
  EXPECT_EQ(stores(game_at("0-2-0-0-0-0-0-0-0-0-0-0-24-22-S")), Score(26, 22));
}

TEST(Rules, TheCaptureRunStaysInTheOpponentsRow) {
  EXPECT_EQ(after("1-3-0-0-0-0-0-0-0-0-2-1-20-21-N", "f"), "0-3-0-0-0-0-0-0-0-0-2-0-20-23-S");
  EXPECT_EQ(after("0-0-0-2-2-1-1-4-0-0-0-0-19-19-S", "F"), "0-0-0-2-2-0-0-4-0-0-0-0-21-19-N");
}

TEST(Rules, SlamsAndLongRuns) {
  EXPECT_EQ(after("1-1-1-1-1-0-0-0-8-0-0-1-17-17-N", "c"), "2-2-2-2-2-0-0-0-0-1-1-2-17-17-S");
  EXPECT_EQ(after("0-0-8-0-0-1-3-1-1-1-2-0-15-16-S", "C"), "0-0-0-1-1-2-4-0-0-0-0-0-24-16-N");
}

TEST(Rules, StarvedOpponentMustBeFed) {
  EXPECT_EQ(legal_moves(game_at("1-0-0-0-0-1-0-0-0-0-0-0-23-23-S")), "F");
  EXPECT_EQ(legal_moves(game_at("0-0-0-0-1-17-0-0-0-0-0-0-15-15-S", with_slam(GrandSlam::forbidden_unless_only))), "F");  // the slam feeds, and is forced
  EXPECT_EQ(game_at("0-0-0-0-1-17-0-0-0-0-0-0-15-15-S", with_slam(GrandSlam::forbidden)).end(), End::no_move);
}

TEST(Rules, ADeclinedCaptureIsAnActionOfItsOwn) {
  const Rules awale = parse_rules("awale");
  const std::string position = "3-0-0-0-0-1-1-4-0-0-0-0-20-19-S";
  EXPECT_EQ(legal_moves(game_at(position, awale)), "AFF-");
  EXPECT_EQ(after(position, "F", awale), "3-0-0-0-0-0-0-4-0-0-0-0-22-19-N");
  EXPECT_EQ(after(position, "F-", awale), "3-0-0-0-0-0-2-4-0-0-0-0-20-19-N");
  EXPECT_EQ(legal_moves(game_at("3-0-0-0-0-1-1-0-0-0-0-0-22-21-S", awale)), "AF");  // a slam that captures nothing: nothing to decline
  EXPECT_EQ(legal_moves(game_at("3-0-0-0-0-1-1-0-0-0-0-0-22-21-S", parse_rules("awale,grand_slam=forbidden"))), "AF-");
  EXPECT_EQ(legal_moves(game_at("3-0-0-0-0-1-1-0-0-0-0-0-22-21-S", parse_rules("awale,grand_slam=spares_last"))), "AF");
}

TEST(Rules, AnEndlessRelayIsIllegal) {
  const Rules relay = parse_rules("relay-literal,seeds_per_pit=1");
  const Game game = game_at("0-1-0-1-2-0-1-0-1-0-2-1-3-0-S", relay);
  EXPECT_EQ(legal_moves(game).find('E'), std::string::npos);
  EXPECT_NE(legal_moves(game), "");
}

}  // namespace
}  // namespace wari
