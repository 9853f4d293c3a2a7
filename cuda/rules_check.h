#pragma once

#include <cstdint>
#include <vector>

#include "core/rules.h"

// The core's rule functions instantiated for the GPU: keeps the headers compiling for the device, and lets a test compare both sides.
namespace wari {

// One random game from the start, and a hash over every position, mask, capture and token on the way. The hash depends on (rules, seed, game) only.
struct GameTrace {
  std::uint64_t hash = 0;
  int plies = 0;
};

std::vector<GameTrace> trace_games_on_host(const Rules& rules, std::uint64_t seed, int games);
// The same games, one thread each, on the first GPU. Throws Error without one.
std::vector<GameTrace> trace_games_on_device(const Rules& rules, std::uint64_t seed, int games);

}  // namespace wari
