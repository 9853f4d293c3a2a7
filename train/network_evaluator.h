#pragma once

#include <memory>
#include <span>
#include <string>

#include "search/evaluator.h"
#include "train/inference/folded_network.h"

namespace wari {

// A network as the search sees it, on CPU kernels (train/inference). `rules`: the sets it will be asked about; positions of random games under them calibrate
// quantised kernels. `precision`: "auto", "float32" or "int8".
std::unique_ptr<Evaluator> make_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, const std::string& precision = "auto");

// The same on the GPU, for batches of `rows`. Throws Error without one.
std::unique_ptr<Evaluator> make_device_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, int rows);

}  // namespace wari
