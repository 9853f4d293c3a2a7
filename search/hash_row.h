#pragma once

#include <cstdint>

#include "core/position.h"
#include "core/random.h"
#include "search/evaluator.h"

namespace wari {

// The answer of the hash evaluator to one position: integers until one multiplication at the end, so that it is the same everywhere.
WARI_HD inline void hash_row(std::uint64_t seed, const Position& position, float* outputs /* [kOutputs] */) {
  std::uint64_t mixed = (position.mover + seed) * 0x9e3779b97f4a7c15ULL;
  mixed ^= mixed >> 32;
  mixed = (mixed + position.opponent) * 0xd6e8feb86659fd93ULL;
  const auto low = static_cast<std::uint32_t>(mixed >> 32), high = static_cast<std::uint32_t>(mixed ^ (mixed >> 41));
  for (std::uint32_t i = 0; i < kOutputs; ++i) {
    std::uint32_t word = (low + i * 0x9e3779b9u) * 0x85ebca6bu;
    word = (word ^ (word >> 15) ^ high) * 0xc2b2ae35u;
    // 24 bits to -2..2; the margin to -1..1.
    const float scale = i == kMarginOutput ? 1.0f / 8388608.0f : 1.0f / 4194304.0f;
    outputs[i] = static_cast<float>(static_cast<std::int32_t>(word) >> 8) * scale;
  }
}

// The seed that hash_row() takes for the one a person gave.
inline std::uint64_t hash_row_seed(std::uint64_t seed) { return seed == 0 ? 0 : mix64(seed); }

}  // namespace wari
