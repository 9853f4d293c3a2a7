#pragma once

#include <cstdint>

namespace wari {

// One number for the behaviour of the search: fixed positions of several rule sets, both algorithms, narrow and wide trees, and a few whole games, judged by the hash
// evaluator. Equal on every build and device; a commit that changes it says so.
std::uint64_t search_signature();
// What it must be.
inline constexpr std::uint64_t kSearchSignature = 0xf1b0b4d5ad5562d7ULL;

}  // namespace wari
