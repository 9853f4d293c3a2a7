#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/game.h"
#include "search/evaluator.h"

namespace wari {

// What an evaluator says of positions themselves, without a search. Batches have one size, idle rows padded: a row's bits must not depend on how many others there
// are. All games are of one rule set.
std::vector<std::array<float, kOutputs>> judge(Evaluator& evaluator, std::span<const Game* const> games);

}  // namespace wari
