#include "app/bench.h"
#include "core/game.h"
#include "core/perft.h"
#include "core/playout.h"

// The bare rules on one thread, with `abapa`.
namespace wari {

namespace {

// Moves made in random games from the start, repetition rule on.
double playout_moves(const Rules& rules, int games) {
  const SowingTables& tables = sowing_tables();
  const Position start = start_position(rules);
  const std::uint16_t legal = legal_actions(tables, rules, start);
  std::vector<Position> since_capture(rules.quiet_plies + std::size_t{1});
  std::int64_t moves = 0;
  for (int game = 0; game < games; ++game) {
    since_capture[0] = start;
    moves += random_playout<true>(tables, rules, since_capture.data(), 1, legal, mix64(static_cast<std::uint64_t>(game))).plies;
  }
  return static_cast<double>(moves);
}

// Leaves of the start position, those of the last ply counted without being made.
double perft_leaves(const Rules& rules, int depth) { return static_cast<double>(perft(rules, start_position(rules), depth)); }

}  // namespace

std::vector<BenchResult> bench_rules() {
  const Rules abapa;
  return {
      measure_rate("rules.playout_moves_per_second", [&] { return playout_moves(abapa, 200'000); }, 7),
      measure_rate("rules.perft_leaves_per_second", [&] { return perft_leaves(abapa, 11); }, 7),
  };
}

}  // namespace wari
