#pragma once

#include <cstdint>

#include "core/portability.h"

// Random numbers are a function of (seed, game, ply, purpose, index), never a generator that moves: the same draw at any lane, worker, batch or device.
namespace wari {

enum class Purpose : std::uint32_t { opening_length = 1, opening_move, gumbel, dirichlet, move_choice, playout_cap, rollout, match_opening, player_tie, replay_sample, weight_init, test, endgame_sample, adjudication };

// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits with full avalanche.
WARI_HD inline std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// 64 random bits.
WARI_HD inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t game, std::uint32_t ply, Purpose purpose, std::uint32_t index) {
  std::uint64_t h = mix64(seed + 0x9e3779b97f4a7c15ULL);
  h = mix64(h ^ (game + 0x9e3779b97f4a7c15ULL));
  h = mix64(h ^ ((static_cast<std::uint64_t>(ply) << 32) | static_cast<std::uint32_t>(purpose)));
  return mix64(h ^ index);
}

// Uniform in (0, 1): never 0 nor 1, exactly representable, the same on every device.
WARI_HD inline float random_unit(std::uint64_t bits) { return (static_cast<float>(bits >> 41) + 0.5f) * (1.0f / 8388608.0f); }
// Uniform in 0..count-1 (count below 2^32), by multiplication.
WARI_HD inline std::uint32_t random_below(std::uint64_t bits, std::uint32_t count) { return static_cast<std::uint32_t>(((bits >> 32) * count) >> 32); }

}  // namespace wari
