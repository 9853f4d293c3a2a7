#pragma once

#include "core/moves.h"
#include "core/random.h"
#include "core/repetition.h"
#include "core/sowing.h"

// Random games to the end, with all rules on: the measure of the rules' speed, and the judge of positions where no network is at hand.
namespace wari {

// The n-th legal action, n from 0, lowest first.
WARI_HD inline int nth_action(const SowingTables& tables, std::uint16_t legal, int n) {
  const std::uint32_t low = legal & 63u, high = static_cast<std::uint32_t>(legal) >> kPits;
  const int low_count = count_bits(low);
  if (n < low_count) return static_cast<int>((tables.set_bits[low] >> (4 * n)) & 15);
  return kPits + static_cast<int>((tables.set_bits[high] >> (4 * (n - low_count))) & 15);
}

// A legal action, all with the same probability.
WARI_HD inline int random_action(const SowingTables& tables, std::uint16_t legal, std::uint64_t bits) {
  return nth_action(tables, legal, static_cast<int>(random_below(bits, static_cast<std::uint32_t>(count_bits(legal)))));
}

struct Playout {
  Position position;  // where the game ended
  End end;
  int plies;
};

// Plays from a position that is not over. `since_capture` holds `count` positions, the last of them the present one, and has room for rules.quiet_plies + 1 (which must not be 0).
// The draw of ply i is the i-th of SplitMix64's sequence that starts at `seed`.
template <bool kPlain>
WARI_HD inline Playout random_playout(const SowingTables& tables, const Rules& rules, Position* since_capture, int count, std::uint16_t legal, std::uint64_t seed) {
  Playout game{since_capture[count - 1], End::none, 0};
  while (game.end == End::none) {
    seed += 0x9e3779b97f4a7c15ULL;
    const int n = static_cast<int>(random_below(mix64(seed), static_cast<std::uint32_t>(count_bits(legal))));
    const int action = kPlain ? static_cast<int>((tables.set_bits[legal] >> (4 * n)) & 15) : nth_action(tables, legal, n);
    const Move move = play_as<kPlain>(tables, rules, game.position, action);
    ++game.plies;
    count = move.captured != 0 ? 0 : count;
    since_capture[count++] = move.position;
    game.position = move.position;
    game.end = move.end;
    legal = move.legal;
    if (game.end == End::none) game.end = end_by_history(rules, since_capture, count);
  }
  return game;
}

}  // namespace wari
