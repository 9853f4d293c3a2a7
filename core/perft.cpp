#include "core/perft.h"

#include "core/sowing.h"

namespace wari {
namespace {

// `legal`: the legal actions at `position`; depth is 2 or more.
std::uint64_t count(const SowingTables& tables, const Rules& rules, const Position& position, std::uint32_t legal, int depth) {
  std::uint64_t sequences = 0;
  for (; legal != 0; legal &= legal - 1) {
    const Move move = play(tables, rules, position, __builtin_ctz(legal));
    sequences += depth == 2 ? static_cast<std::uint64_t>(count_bits(move.legal)) : count(tables, rules, move.position, move.legal, depth - 1);
  }
  return sequences;
}

std::uint64_t count_from(const Rules& rules, const Position& position, std::uint32_t legal, int depth) {
  if (depth == 0) return 1;
  return depth == 1 ? static_cast<std::uint64_t>(count_bits(legal)) : count(sowing_tables(), rules, position, legal, depth);
}

}  // namespace

std::uint64_t perft(const Rules& rules, const Position& position, int depth) {
  return count_from(rules, position, status(sowing_tables(), rules, position).legal, depth);
}

std::vector<std::pair<int, std::uint64_t>> perft_divide(const Rules& rules, const Position& position, int depth) {
  std::vector<std::pair<int, std::uint64_t>> counts;
  const std::uint16_t legal = status(sowing_tables(), rules, position).legal;
  for (int action = 0; action < kActions && depth > 0; ++action) {
    if (((legal >> action) & 1) == 0) continue;
    const Move move = play(sowing_tables(), rules, position, action);
    counts.emplace_back(action, count_from(rules, move.position, move.legal, depth - 1));
  }
  return counts;
}

}  // namespace wari
