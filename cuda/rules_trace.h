#pragma once

#include "core/moves.h"
#include "core/random.h"
#include "core/tokens.h"
#include "cuda/rules_check.h"

// The body that host and device share.
namespace wari {

inline constexpr int kTracePlies = 400;  // without the repetition rule some games never end

WARI_HD inline std::uint64_t fold(std::uint64_t hash, std::uint64_t value) { return mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; }

WARI_HD inline GameTrace trace_game(const SowingTables& tables, const Rules& rules, Position position, std::uint64_t seed, std::uint64_t game) {
  GameTrace trace;
  std::uint16_t legal = status(tables, rules, position).legal;
  int quiet_plies = 0;
  while (legal != 0 && trace.plies < kTracePlies) {
    Token tokens[kBoardTokens];
    encode_board(tables, rules, position, quiet_plies, tokens);
    for (int i = 0; i < kBoardTokens; ++i) trace.hash = fold(trace.hash, tokens[i]);
    int count = 0;
    for (int action = 0; action < kActions; ++action) count += (legal >> action) & 1;
    const auto ply = static_cast<std::uint32_t>(trace.plies);
    int skip = static_cast<int>(random_below(random_bits(seed, game, ply, Purpose::test, 0), static_cast<std::uint32_t>(count)));
    int action = 0;
    while (((legal >> action) & 1) == 0 || skip-- > 0) ++action;
    const Move move = play(tables, rules, position, action);
    position = move.position;
    legal = move.legal;
    quiet_plies = move.captured > 0 ? 0 : quiet_plies + 1;
    trace.hash = fold(fold(fold(trace.hash, position.mover), position.opponent), (std::uint64_t{move.captured} << 32) | (std::uint64_t{legal} << 8) | static_cast<std::uint64_t>(move.end));
    ++trace.plies;
  }
  return trace;
}

}  // namespace wari
