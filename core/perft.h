#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/moves.h"

namespace wari {

// Number of action sequences of exactly `depth` plies, repetition and quiet plies off; sequences that end earlier do not count. Actions of the last ply are counted, not made.
std::uint64_t perft(const Rules& rules, Position position, int depth);

// The same by first action, in order of actions: the pairs of action and count.
std::vector<std::pair<int, std::uint64_t>> perft_divide(const Rules& rules, Position position, int depth);

}  // namespace wari
