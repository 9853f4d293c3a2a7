#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuda/kernel_image.h"
#include "train/sample_window.h"

// The replay window in the memory of a GPU.
namespace wari {

// `root_value_share`: of TrainerSettings. `stream` of its calls is a cudaStream_t. Throws Error without a GPU.
std::unique_ptr<SampleWindow> make_device_window(double root_value_share);

// What it launches. Empty without a GPU.
std::vector<KernelImage> window_kernel_images();

// A batch in the host's memory, for tests and the doctor.
struct GatheredBatch {
  std::vector<Token> integers;  // [rows, kBatchIntegers]
  std::vector<float> numbers;   // [rows, kBatchNumbers]
};
GatheredBatch gather_on_device(SampleWindow& window, std::span<const std::uint32_t> places /* [rows] */);

}  // namespace wari
