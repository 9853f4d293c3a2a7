#include <gtest/gtest.h>

#include <array>

#include "app/engine_strength.h"

namespace wari {
namespace {

TEST(EngineStrength, EloGoesFromAnyMoveToTheBest) {
  RootResult root;
  root.best = 1;
  root.actions = {{0, 2, 0, 0, 0, false}, {1, 12, 0, 0, 0, false}, {2, 0, 0, 0, 0, false}};
  const auto shares = [&](int elo) {
    std::array<int, 3> count{};
    for (std::uint64_t key = 0; key < 3000; ++key) ++count[static_cast<std::size_t>(choose_move(root, strength_of_elo(elo), key))];
    return count;
  };
  for (const int count : shares(kLowestElo)) EXPECT_NEAR(count, 1000, 100);
  EXPECT_NEAR(shares(800)[1], 3000 * 13 / 17, 100);  // as visits plus one
  EXPECT_GT(shares(kHighestElo)[1], 2990);
  int before = 0;
  for (int elo = kLowestElo; elo <= kHighestElo; elo += 50) {
    const int best = shares(elo)[1];
    EXPECT_GE(best, before - 100) << elo;
    before = best;
    EXPECT_GE(strength_of_elo(elo).visits, 16);
  }
  EXPECT_EQ(strength_of_elo(kHighestElo).visits, 64);
  EXPECT_EQ(strength_of_elo(99'999), strength_of_elo(kHighestElo));
  EXPECT_EQ(choose_move(root, {}, 7), 1);
  EXPECT_EQ(choose_move({}, strength_of_elo(0), 7), -1);
}

}  // namespace
}  // namespace wari
