#include <gtest/gtest.h>

#include "app/uci/continued_game.h"
#include "core/notation.h"
#include "core/random.h"

namespace wari {
namespace {

// Whole random games, told as Aualé does: from the position after the last capture. Two plies later the game goes on from the one before, and says the same of the future.
TEST(UciContinuedGame, APositionBegunAnewAfterACaptureGoesOn) {
  int continued = 0;
  for (const auto& [name, rules] : rule_presets()) {
    for (std::uint64_t number = 0; number < 5; ++number) {
      Game whole(rules), before(rules), anew(rules);
      while (!whole.is_over() && whole.plies() < 300) {
        std::vector<int> legal;
        for (int action = 0; action < kActions; ++action) {
          if ((whole.legal() >> action) & 1) legal.push_back(action);
        }
        const int action = legal[random_below(random_bits(number, 0, static_cast<std::uint32_t>(whole.plies()), Purpose::test, 0), static_cast<std::uint32_t>(legal.size()))];
        whole.play(action);
        anew.play(action);
        if (whole.is_over()) break;
        const bool captured = whole.quiet_plies() == 0;
        if (captured) anew = Game(rules, whole.position());
        if (whole.plies() % 2 != 0) continue;
        const Game told = continued_game(before, anew);
        ASSERT_EQ(line_text(told), line_text(whole)) << name;
        ASSERT_EQ(told.quiet_plies(), whole.quiet_plies());
        ASSERT_EQ(told.since_capture().size(), anew.since_capture().size());
        continued += captured;
        before = told;
      }
    }
  }
  EXPECT_GT(continued, 100);
}

TEST(UciContinuedGame, OtherGamesAreLeftAsTheyAre) {
  const Rules rules;
  Game before(rules);
  play_line(before, "FfEb");
  const auto same = [&](const Game& now) { return line_text(continued_game(before, now)) == line_text(now) && continued_game(before, now).start() == now.start(); };
  Game on = before;
  play_line(on, "Dd");
  EXPECT_TRUE(same(on));
  Game back(rules);
  play_line(back, "Ff");
  EXPECT_TRUE(same(back));
  Game other(rules);
  play_line(other, "Aa");
  EXPECT_TRUE(same(other));
  // Reached without a capture: what repeats from here on depends on the past, which the other program does not want to count.
  EXPECT_TRUE(same(Game(rules, before.position())));
  EXPECT_TRUE(same(Game(rules, parse_position("0-0-0-0-0-2-1-1-0-0-0-0-22-22-S", rules))));
  EXPECT_TRUE(same(Game(parse_rules("awale"))));
}

}  // namespace
}  // namespace wari
