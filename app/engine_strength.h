#pragma once

#include <cstdint>

#include "search/batch_search.h"

namespace wari {

// How strongly an engine plays: fewer visits, and moves that are drawn instead of chosen.
struct Strength {
  std::int64_t visits = 0;  // of the root, at most; 0: as many as the time allows
  double temperature = 0;   // 0: the best move; else a move's chance is as (its visits + 1) ^ (1 / temperature), so that 1e9 means any move

  bool is_full() const { return visits == 0 && temperature == 0; }
  bool operator==(const Strength&) const = default;
};

// On the scale on which `random` has 0; what lies below or above counts as the end of the scale. How it was measured: docs/engine.md.
inline constexpr int kLowestElo = 0, kHighestElo = 2450;
Strength strength_of_elo(int elo);

// The move to play after a search, -1 where the game is over. All that is random about it is a function of `key`.
int choose_move(const RootResult& result, const Strength& strength, std::uint64_t key);

}  // namespace wari
