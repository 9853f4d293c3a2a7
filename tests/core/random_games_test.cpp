#include <gtest/gtest.h>

#include "core/perft.h"
#include "core/playout.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

// Plays one random game with all seeds counted at every ply; returns how it ended.
End play_counted(const Rules& rules, std::uint64_t number, std::vector<Position>& since_capture) {
  const SowingTables& tables = sowing_tables();
  since_capture.assign(1, start_position(rules));
  Status now = status(tables, rules, since_capture.back());
  std::uint64_t seed = mix64(number);
  while (now.end == End::none) {
    seed += 0x9e3779b97f4a7c15ULL;
    const int action = random_action(tables, now.legal, mix64(seed));
    EXPECT_NE((now.legal >> action) & 1, 0);
    const Move move = play(tables, rules, since_capture.back(), action);
    if (seeds_in_all(move.position) != rules.total_seeds()) return End::limit;
    if ((move.legal == 0) != (move.end != End::none)) return End::limit;
    if (move.captured != 0) since_capture.clear();
    since_capture.push_back(move.position);
    now = {move.legal, move.end};
    if (now.end == End::none) now.end = end_by_history(rules, since_capture.data(), static_cast<int>(since_capture.size()));
    if (static_cast<int>(since_capture.size()) > rules.quiet_plies + 1) return End::limit;
  }
  const FinalStores stores = final_stores(rules, since_capture.back(), now.end);
  const int sum = stores.mover_half_seeds + stores.opponent_half_seeds;
  if (now.end == End::majority ? sum > 2 * rules.total_seeds() : sum != 2 * rules.total_seeds()) return End::limit;
  return now.end;
}

TEST(RandomGames, AHundredThousandEndWithAllSeedsAccountedFor) {
  const std::vector<Rules> sets = many_rule_sets(150);
  const int games = shared_out(100'000) / static_cast<int>(sets.size()) + 1;
  std::vector<Position> since_capture;
  int ends[10] = {};
  std::uint64_t number = 0;
  for (const Rules& rules : sets) {
    for (int game = 0; game < games; ++game) {
      const End end = play_counted(rules, number++, since_capture);
      ASSERT_NE(end, End::limit) << rules_name(rules) << " game " << number - 1;
      ++ends[static_cast<int>(end)];
    }
  }
  for (const End end : {End::majority, End::no_move, End::slam, End::slam_rest, End::quiet, End::repetition}) EXPECT_GT(ends[static_cast<int>(end)], 0);
}

TEST(RandomGames, PlayoutsAreTheSameGames) {
  std::vector<Position> since_capture;
  for (const Rules& rules : many_rule_sets(40)) {
    std::vector<Position> room(rules.quiet_plies + std::size_t{1});
    for (std::uint64_t number = 0; number < 20; ++number) {
      const End end = play_counted(rules, number, since_capture);
      room[0] = start_position(rules);
      const Status now = status(sowing_tables(), rules, room[0]);
      if (now.end != End::none) continue;
      const Playout general = random_playout<false>(sowing_tables(), rules, room.data(), 1, now.legal, mix64(number));
      ASSERT_EQ(general.end, end);
      ASSERT_TRUE(general.position == since_capture.back());
      if (!is_plain(rules)) continue;
      room[0] = start_position(rules);  // a capture has overwritten it
      const Playout plain = random_playout<true>(sowing_tables(), rules, room.data(), 1, now.legal, mix64(number));
      ASSERT_TRUE(plain.position == general.position);
      ASSERT_EQ(plain.end, general.end);
      ASSERT_EQ(plain.plies, general.plies);
    }
  }
}

TEST(RandomGames, EveryLegalActionIsDrawn) {
  for (std::uint32_t legal = 1; legal < 4096; legal += 7) {
    std::uint32_t drawn = 0;
    for (int n = 0; n < count_bits(legal); ++n) drawn |= 1u << nth_action(sowing_tables(), static_cast<std::uint16_t>(legal), n);
    ASSERT_EQ(drawn, legal);
  }
}

TEST(Perft, TheSameFromBothSides) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(150)) {
    for (int count = 0; count < 4; ++count) {
      const Position position = random_position(rules, number++);
      for (int depth = 1; depth <= 4; ++depth) ASSERT_EQ(perft(rules, position, depth), perft(rules, other_colours(position), depth));
    }
  }
}

TEST(Perft, KnownCountsFromTheStart) {
  EXPECT_EQ(perft(parse_rules("abapa"), start_position(Rules{}), 9), 3592872u);
  for (const char* name : {"abapa", "wari", "warri", "awari", "zillions"}) EXPECT_EQ(perft(parse_rules(name), start_position(Rules{}), 6), 27332u) << name;
}

TEST(Perft, ZeroPliesAndFinishedGames) {
  EXPECT_EQ(perft(Rules{}, start_position(Rules{}), 0), 1u);
  EXPECT_EQ(perft(Rules{}, start_position(Rules{}), 1), 6u);
  const Position over{Row{25} << kStoreShift, Row{23} << kStoreShift | Row{1} << kOwnerShift};
  EXPECT_EQ(perft(Rules{}, over, 3), 0u);
}

TEST(Perft, DividedCountsAddUp) {
  for (const Rules& rules : many_rule_sets(30)) {
    const Position start = start_position(rules);
    for (int depth = 1; depth <= 5; ++depth) {
      std::uint64_t sum = 0;
      for (const auto& [action, count] : perft_divide(rules, start, depth)) sum += count;
      ASSERT_EQ(sum, perft(rules, start, depth));
    }
  }
}

}  // namespace
}  // namespace wari
