#pragma once

#include <gtest/gtest.h>

#include "core/game.h"
#include "search/batch_search.h"
#include "tests/core/rule_mixes.h"

// Searches of given positions, for the tests of everything that does them.
namespace wari {

inline RootRequest request_of(const Game& game, int simulations, std::uint64_t key = 0) { return {game.rules(), game.since_capture(), simulations, key}; }

inline void expect_equal(const RootResult& a, const RootResult& b) {
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.margin, b.margin);
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.wdl[1], b.wdl[1]);
  ASSERT_EQ(a.actions.size(), b.actions.size());
  for (std::size_t i = 0; i < a.actions.size(); ++i) {
    EXPECT_EQ(a.actions[i].visits, b.actions[i].visits);
    EXPECT_EQ(a.actions[i].policy, b.actions[i].policy);
    EXPECT_EQ(a.actions[i].value, b.actions[i].value);
  }
}

inline std::vector<RootRequest> many_requests(int count) {
  std::vector<RootRequest> requests;
  std::uint64_t number = 50000;
  const std::vector<Rules> sets = many_rule_sets(10);
  while (static_cast<int>(requests.size()) < count) {
    const Rules& rules = sets[requests.size() % sets.size()];
    const Game game(rules, random_position(rules, ++number));
    requests.push_back(request_of(game, 20 + static_cast<int>(requests.size() % 60), number));  // budgets differ; some roots are over
  }
  return requests;
}

}  // namespace wari
