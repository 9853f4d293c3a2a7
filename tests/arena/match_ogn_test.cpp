#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arena/match.h"
#include "core/notation.h"
#include "core/ogn.h"

namespace wari {
namespace {

PlayedGame played(const std::string& line, bool a_is_south, int forfeit = 0) {
  Game game(Rules{});
  play_line(game, line);
  return {game, a_is_south, 0.5, forfeit};
}

TEST(MatchOgn, GamesNameTheirPlayersAndHowOneLostOtherwise) {
  const std::vector<PlayedGame> match{played("FfE", true, kOutOfTime), played("Ff", false, kCrashed), played("AaB", true, kIllegalMove)};
  const std::vector<OgnGame> games = read_ogn(match_ogn(match, "search:visits=64", "random"), "match");
  ASSERT_EQ(games.size(), 3u);
  EXPECT_EQ(*games[0].tag("South"), "search:visits=64");
  EXPECT_EQ(*games[1].tag("South"), "random");
  EXPECT_EQ(*games[1].tag("Round"), "1.2");
  EXPECT_EQ(*games[2].tag("Round"), "2.1");
  EXPECT_EQ(line_text(games[0].game), "FfE");
  EXPECT_EQ(games[0].result, "1-0") << "North was to move and lost";
  EXPECT_EQ(games[1].result, "0-1");
  EXPECT_EQ(*games[0].tag("Termination"), "out of time");
  EXPECT_EQ(*games[1].tag("Termination"), "crash");
  EXPECT_EQ(*games[2].tag("Termination"), "illegal move");
  for (const OgnGame& game : games) EXPECT_EQ(game.ended, "resigned");
  EXPECT_EQ(match_ogn({}, "a", "b"), "");
}

}  // namespace
}  // namespace wari
