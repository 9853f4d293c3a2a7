#include "core/nearest.h"

#include <gtest/gtest.h>

namespace wari {
namespace {

TEST(Nearest, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("laps", "laps"), 0);
  EXPECT_EQ(edit_distance("lapps", "laps"), 1);
  EXPECT_EQ(edit_distance("trian", "train"), 1);
  EXPECT_EQ(edit_distance("LAPS", "laps"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Nearest, NamesTheNearestOrAll) {
  const std::vector<std::string> names{"rules", "perft", "train", "match"};
  EXPECT_EQ(nearest_name("trian", names), "train");
  EXPECT_EQ(nearest_name("zebra-crossing", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(suggestion("pertf", names), "did you mean 'perft'?");
  EXPECT_EQ(suggestion("zebra-crossing", {"a", "b"}), "known are 'a', 'b'");
}

TEST(Nearest, QuotesAreOneShortLine) {
  EXPECT_EQ(quote("F"), "'F'");
  EXPECT_EQ(quote("a\nb\x1b"), "'a?b?'");
  EXPECT_LT(quote(std::string(1'000'000, 'x')).size(), 100u);
}

}  // namespace
}  // namespace wari
