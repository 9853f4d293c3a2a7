#include "search/halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace wari {
namespace {

// The sequence as the authors' published program makes it, for one number of moves and one budget.
std::vector<int> considered_visits(int moves, int budget) {
  std::vector<int> sequence;
  if (moves <= 1) {
    for (int i = 0; i < budget; ++i) sequence.push_back(i);
    return sequence;
  }
  const int phases = static_cast<int>(std::ceil(std::log2(moves)));
  std::vector<int> visits(static_cast<std::size_t>(moves), 0);
  int considered = moves;
  while (static_cast<int>(sequence.size()) < budget) {
    const int rounds = std::max(1, budget / (phases * considered));
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < considered; ++i) sequence.push_back(visits[static_cast<std::size_t>(i)]++);
    }
    considered = std::max(2, considered / 2);
  }
  sequence.resize(static_cast<std::size_t>(budget));
  return sequence;
}

TEST(Halving, StateInTheLaneEqualsThePublishedTable) {
  for (int moves = 1; moves <= 12; ++moves) {
    for (const int budget : {1, 2, 3, 5, 8, 12, 16, 31, 32, 33, 64, 100, 500, 1000}) {
      const std::vector<int> expected = considered_visits(moves, budget);
      Halving halving;
      halving.begin(moves, budget);
      for (int i = 0; i < budget; ++i) {
        ASSERT_EQ(halving.considered_visit, expected[static_cast<std::size_t>(i)]) << moves << " moves, budget " << budget << ", simulation " << i;
        halving.advance(budget);
      }
    }
  }
}

}  // namespace
}  // namespace wari
