#pragma once

#include <memory>
#include <vector>

#include "cuda/kernel_image.h"
#include "search/batch_search.h"

namespace wari {

// make_cpu_batch_search() with trees in the memory of a GPU; the same results wherever the evaluator answers the same. `evaluator` must be one of a device, for batches of
// settings.lanes rows; settings.workers does not count. Throws Error without a GPU.
std::unique_ptr<BatchSearch> make_cuda_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator);

// What it launches. Empty without a GPU.
std::vector<KernelImage> batch_search_kernel_images();

// On the side where the evaluator is.
std::unique_ptr<BatchSearch> make_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator);

}  // namespace wari
