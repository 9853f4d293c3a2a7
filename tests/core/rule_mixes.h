#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "core/rules.h"

// Rule sets and positions for tests on random play.
namespace wari {

inline std::uint32_t test_draw(std::uint64_t game, std::uint32_t index, std::uint32_t count) {
  return random_below(random_bits(20261130, game, 0, Purpose::test, index), count);
}

// Any combination of options; every game ends.
inline Rules random_mix(std::uint64_t number) {
  Rules rules;
  rules.seeds_per_pit = static_cast<std::uint8_t>(1 + test_draw(number, 0, 6));
  rules.capture = static_cast<Capture>(test_draw(number, 1, 2));
  rules.grand_slam = static_cast<GrandSlam>(test_draw(number, 2, 7));
  rules.laps = static_cast<Laps>(test_draw(number, 3, 4));
  rules.no_feeding_move = static_cast<NoFeedingMove>(test_draw(number, 4, 2));
  const std::uint32_t occurrences = test_draw(number, 5, 10);
  rules.repetition_occurrences = static_cast<std::uint8_t>(occurrences == 0 ? 0 : occurrences + 1);
  rules.repetition_award = static_cast<Award>(test_draw(number, 6, 2));
  rules.quiet_plies = static_cast<std::uint16_t>(1 + test_draw(number, 7, 400));
  return rules;
}

// How much of a long random test is done: all of it, or the share that WARI_TEST_SHARE states (scripts/test.sh sets it for the sanitizers, which are ten times slower).
inline int shared_out(int count) {
  const char* share = std::getenv("WARI_TEST_SHARE");
  return share == nullptr ? count : std::max(1, static_cast<int>(count * std::atof(share)));
}

// The presets and `mixes` random combinations.
inline std::vector<Rules> fixed_rule_sets(int mixes) {
  std::vector<Rules> sets;
  for (const auto& [name, rules] : rule_presets()) sets.push_back(rules);
  for (int mix = 0; mix < mixes; ++mix) sets.push_back(random_mix(static_cast<std::uint64_t>(mix)));
  return sets;
}

// The same, of which a shorter run takes fewer.
inline std::vector<Rules> many_rule_sets(int mixes) { return fixed_rule_sets(shared_out(mixes)); }

// Any distribution of the seeds, most of them with few on the board, so that slams and empty rows are frequent. It may be a finished game.
inline Position random_position(const Rules& rules, std::uint64_t number) {
  const std::uint64_t game = number + (std::uint64_t{1} << 40);
  int counts[14] = {};
  const int total = rules.total_seeds();
  int on_board = 1 + static_cast<int>(test_draw(game, 0, static_cast<std::uint32_t>(total)));
  if (test_draw(game, 1, 2) == 0) on_board = 1 + on_board % 18;
  if (on_board > total) on_board = total;
  const bool one_row = test_draw(game, 2, 4) == 0;
  const int clump = 1 + static_cast<int>(test_draw(game, 3, 4));
  int left = on_board;
  for (std::uint32_t draw = 4; left > 0; ++draw) {
    const int put = left < clump ? left : clump;
    counts[test_draw(game, draw, one_row ? 6 : 12)] += put;
    left -= put;
  }
  counts[12] = static_cast<int>(test_draw(game, 1000, static_cast<std::uint32_t>(total - on_board + 1)));
  counts[13] = total - on_board - counts[12];
  Row rows[2] = {static_cast<Row>(counts[12]) << kStoreShift, static_cast<Row>(counts[13]) << kStoreShift};
  for (int pit = 0; pit < 12; ++pit) rows[pit / 6] |= static_cast<Row>(counts[pit]) << (8 * (pit % 6));
  const bool north = test_draw(game, 1001, 2) == 1;
  return {rows[0] | static_cast<Row>(north) << kOwnerShift, rows[1] | static_cast<Row>(!north) << kOwnerShift};
}

// The same position with the colours exchanged.
inline Position other_colours(const Position& position) { return {position.mover ^ (Row{1} << kOwnerShift), position.opponent ^ (Row{1} << kOwnerShift)}; }

inline int seeds_in_all(const Position& position) {
  return row_seeds(position.mover) + row_seeds(position.opponent) + store_seeds(position.mover) + store_seeds(position.opponent);
}

}  // namespace wari
