#pragma once

#include <memory>

#include "search/evaluator.h"
#include "train/network.h"

namespace wari {

// The Torch module itself as an evaluator, in float32: slow, and right by construction. For checking faster ones against (make_checking_evaluator).
std::unique_ptr<Evaluator> make_torch_evaluator(const NetworkLayout& layout, std::span<const float> weights /* [layout.size()] */);

}  // namespace wari
