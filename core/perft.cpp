#include "core/perft.h"

#include "core/sowing.h"

namespace wari {
namespace {

// `legal`: the legal actions at `position`; depth is 2 or more.
template <bool kPlain>
std::uint64_t count(const SowingTables& tables, const Rules& rules, Position position, std::uint32_t legal, int depth) {
  std::uint64_t sequences = 0;
  if (depth == 2) {
    for (; legal != 0; legal &= legal - 1) {
      sequences += static_cast<std::uint64_t>(count_bits(play_as<kPlain>(tables, rules, position, __builtin_ctz(legal)).legal));
    }
    return sequences;
  }
  for (; legal != 0; legal &= legal - 1) {
    const Move move = play_as<kPlain>(tables, rules, position, __builtin_ctz(legal));
    sequences += count<kPlain>(tables, rules, move.position, move.legal, depth - 1);
  }
  return sequences;
}

std::uint64_t count_from(const Rules& rules, Position position, std::uint32_t legal, int depth) {
  if (depth == 0) return 1;
  if (depth == 1) return static_cast<std::uint64_t>(count_bits(legal));
  return is_plain(rules) ? count<true>(sowing_tables(), rules, position, legal, depth) : count<false>(sowing_tables(), rules, position, legal, depth);
}

}  // namespace

std::uint64_t perft(const Rules& rules, Position position, int depth) {
  return count_from(rules, position, status(sowing_tables(), rules, position).legal, depth);
}

std::vector<std::pair<int, std::uint64_t>> perft_divide(const Rules& rules, Position position, int depth) {
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
