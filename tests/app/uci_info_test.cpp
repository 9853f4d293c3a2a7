#include <gtest/gtest.h>

#include "app/uci/info.h"
#include "core/notation.h"

namespace wari {
namespace {

TEST(UciInfo, TheAnswerIsNamedWhereItIsTheOtherPlayers) {
  const Rules warri = parse_rules("warri");
  const Game game(warri, parse_position("0-0-0-0-2-2-1-1-0-0-0-0-20-22-S", warri));
  RootResult root;
  root.best = 5;
  root.line = {5, 4};  // South moves twice
  EXPECT_EQ(bestmove_line(game, 5, root), "bestmove F");
  EXPECT_EQ(bestmove_line(game, 4, root), "bestmove E");  // drawn: nothing is expected after it
  root.line = {4, 1};
  EXPECT_EQ(bestmove_line(game, 4, root), "bestmove E ponder b");
  EXPECT_EQ(bestmove_line(game, -1, root), "bestmove 0000");
}

TEST(UciInfo, StringsAreOneVisibleLine) {
  EXPECT_EQ(info_string("a\nb\tc\x7f"), "info string a b c ");
  EXPECT_LT(info_string(std::string(100'000, 'x')).size(), 500u);
}

}  // namespace
}  // namespace wari
