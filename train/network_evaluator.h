#pragma once

#include <memory>
#include <span>
#include <string>

#include "cuda/device_network.h"
#include "search/evaluator.h"
#include "train/inference/folded_network.h"

namespace wari {

// A network as the search sees it, on CPU kernels (train/inference). `rules`: the sets it will be asked about; positions of random games under them calibrate
// quantised kernels. `precision`: "auto", "float32" or "int8".
std::unique_ptr<Evaluator> make_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, const std::string& precision = "auto");

// The same on the GPU, for batches of `rows`; `precision`: "auto" (bfloat16) or "float32". Throws Error without one.
std::unique_ptr<Evaluator> make_device_network_evaluator(const FoldedNetwork& network, std::span<const Rules> rules, int rows, const std::string& precision = "auto");
DevicePrecision device_precision(const std::string& precision);

}  // namespace wari
