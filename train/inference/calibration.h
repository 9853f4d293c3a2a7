#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rules.h"
#include "core/tokens.h"

namespace wari {

// Positions to choose the ranges of 8-bit activations by, [positions, kTokens]: games whose moves are drawn half at random and half by the largest capture, the rule sets in
// turn. The same for the same arguments on every machine, so that weights loaded again give the same network again.
std::vector<Token> calibration_positions(std::span<const Rules> rule_sets, int positions, std::uint64_t seed);

}  // namespace wari
