#include <gtest/gtest.h>

#include "core/notation.h"
#include "search/batch_search.h"
#include "tests/core/rule_mixes.h"
#include "tests/endgame/small_tables.h"
#include "tests/search/one_search.h"
#include "tests/search/search_requests.h"

// What a search makes of an endgame table.
namespace wari {
namespace {

SearchSettings puct() {
  SearchSettings search;
  search.algorithm = Algorithm::puct;
  return search;
}

RootResult searched(const EndgameTables& tables, const Game& game, int simulations, Algorithm algorithm = Algorithm::puct) {
  BatchSearchSettings settings;
  settings.search.algorithm = algorithm;
  settings.tables = tables;
  const RootRequest request = request_of(game, simulations);
  return make_cpu_batch_search(settings, *make_hash_evaluator())->search({&request, 1}).front();
}

int sign(int value) { return (value > 0) - (value < 0); }

// `seeds` on the board and stores about equal, so that the ending decides.
Position ending(const Rules& rules, int seeds, std::uint64_t number) {
  int counts[12] = {};
  for (int i = 0; i < seeds; ++i) ++counts[test_draw(number, static_cast<std::uint32_t>(i), 12)];
  const int stored = rules.total_seeds() - seeds;
  Position position{static_cast<Row>(stored / 2) << kStoreShift, static_cast<Row>(stored - stored / 2) << kStoreShift | Row{1} << kOwnerShift};
  for (int pit = 0; pit < 12; ++pit) (pit < kPits ? position.mover : position.opponent) |= static_cast<Row>(counts[pit]) << (8 * (pit % kPits));
  return position;
}

TEST(EndgameLookup, ACaptureIntoTheTableIsProvenAtOnce) {
  // F captures two and leaves one seed that North keeps.
  const Rules rules;
  const Game game(rules, parse_position("0-0-0-0-0-1-1-1-0-0-0-0-23-22-S", rules));
  const EndgameTables tables = small_tables(rules, 2);
  const RootResult with = searched(tables, game, 4);
  ASSERT_EQ(with.actions.size(), 1u);
  EXPECT_TRUE(with.actions[0].proven);
  EXPECT_EQ(with.value, 1.0f);
}

// Whatever a search with a small table proves is what a larger table knows.
TEST(EndgameLookup, WhatIsProvenAgreesWithALargerTable) {
  constexpr int kSmall = 6, kLarge = 9;
  for (const char* name : {"abapa", "warri", "awale", "awari", "zillions", "abapa,grand_slam=opponent_takes_rest"}) {
    const Rules rules = parse_rules(name);
    const EndgameTables small = small_tables(rules, kSmall), large = small_tables(rules, kLarge);
    int compared = 0, only_with_table = 0;
    for (std::uint64_t number = 0; number < 60; ++number) {
      const Game game(rules, ending(rules, kSmall + 1 + static_cast<int>(number % 3), number));
      if (game.is_over()) continue;
      const int stores = store_seeds(game.position().mover) - store_seeds(game.position().opponent);
      const RootResult with = searched(small, game, 400, number % 2 == 0 ? Algorithm::puct : Algorithm::gumbel), without = searched({}, game, 400);
      const std::vector<EndgameMove> truth = endgame_moves(*large.front(), game.position());
      ASSERT_EQ(with.actions.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        if (!with.actions[i].proven || !truth[i].exact) continue;
        ++compared;
        only_with_table += !without.actions[i].proven;
        EXPECT_EQ(with.actions[i].value, static_cast<float>(sign(stores + truth[i].seeds))) << name << " " << position_text(game.position()) << " action " << truth[i].action;
      }
    }
    EXPECT_GT(compared, 20) << name;
    EXPECT_GT(only_with_table, 5) << name;
  }
}

TEST(EndgameLookup, ValuesThatACycleDecidesAreEstimates) {
  // In every tree: nodes that the table knows have its value; proven by it are only those right after a capture whose value is exact.
  const Rules rules;
  const EndgameTables tables = small_tables(rules, 8);
  int estimates = 0, proven = 0;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Game game(rules, ending(rules, 9, number));
    if (game.is_over()) continue;
    const auto evaluator = make_hash_evaluator();
    const OneSearch<NarrowNode6> search(puct(), game, 300, *evaluator, false, 0, 0, tables);
    for (int index = 1; index < search.node_count(); ++index) {
      const NarrowNode6& node = search.node(static_cast<std::size_t>(index));
      const bool over = (node.flags & kNodeTerminal) != 0;
      const bool known = row_seeds(node.position.mover) + row_seeds(node.position.opponent) <= 8;
      ASSERT_EQ((node.flags & kNodeTable) != 0, known && !over);
      if (over || !known) continue;
      const EndgameValue value = tables.front()->view().value(node.position);
      ASSERT_EQ(node.table_margin, static_cast<float>(store_seeds(node.position.mover) - store_seeds(node.position.opponent) + value.seeds));
      if (value.exact && node.quiet_plies == 0) {
        ++proven;
        ASSERT_TRUE((node.flags & kNodeProven) != 0);
      } else if (node.visits == 1) {
        ++estimates;
        ASSERT_EQ(node.value, static_cast<float>(sign(static_cast<int>(node.table_margin))));
        ASSERT_TRUE((node.flags & kNodeProven) == 0);
      }
    }
  }
  EXPECT_GT(estimates, 100);
  EXPECT_GT(proven, 20);
}

TEST(EndgameLookup, NeedsRulesThatLeaveTimeAndShareTheTable) {
  const EndgameTables tables = small_tables(parse_rules("abapa"), 5);
  EXPECT_EQ(endgame_view(tables, parse_rules("abapa")).seeds, 5);
  EXPECT_EQ(endgame_view(tables, parse_rules("short,quiet_plies=0")).seeds, 5);
  EXPECT_EQ(endgame_view(tables, parse_rules("abapa,quiet_plies=199")).values, nullptr);
  EXPECT_EQ(endgame_view(tables, parse_rules("warri")).values, nullptr);
  EXPECT_EQ(endgame_view(tables, parse_rules("two-lap")).values, nullptr);
  // Where too few quiet plies are left nothing is looked up: the search is the one without a table.
  const Rules rules = parse_rules("abapa,quiet_plies=200");
  const Game game(rules, ending(rules, 6, 3));
  ASSERT_FALSE(game.is_over());
  const auto evaluator = make_hash_evaluator();
  const OneSearch<NarrowNode6> search(puct(), game, 60, *evaluator, false, 0, 0, tables);
  for (int index = 1; index < search.node_count(); ++index) {
    const NarrowNode6& node = search.node(static_cast<std::size_t>(index));
    const bool fresh = node.quiet_plies == 0 && row_seeds(node.position.mover) + row_seeds(node.position.opponent) <= 5 && (node.flags & kNodeTerminal) == 0;
    EXPECT_EQ((node.flags & kNodeTable) != 0, fresh);
  }
}

TEST(EndgameLookup, ResultsDependNeitherOnLanesNorOnWorkers) {
  std::vector<RootRequest> requests;
  const std::vector<Rules> sets{parse_rules("abapa"), parse_rules("warri"), parse_rules("relay"), parse_rules("awale")};
  for (std::uint64_t number = 0; requests.size() < 90; ++number) {
    const Rules& rules = sets[number % sets.size()];
    requests.push_back(request_of(Game(rules, ending(rules, 5 + static_cast<int>(number % 6), number)), 50));
  }
  BatchSearchSettings settings;
  settings.tables = small_tables(sets, 7);
  settings.lanes = 1;
  const std::vector<RootResult> expected = make_cpu_batch_search(settings, *make_hash_evaluator())->search(requests);
  for (const int workers : {1, 3}) {
    settings.workers = workers;
    settings.lanes = 48;
    const std::vector<RootResult> got = make_cpu_batch_search(settings, *make_hash_evaluator())->search(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) expect_equal(expected[i], got[i]);
  }
}

}  // namespace
}  // namespace wari
