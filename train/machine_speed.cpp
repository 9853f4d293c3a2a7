#include "train/machine_speed.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <chrono>

namespace wari {

double matrix_product_gflops(ProductType type) {
  constexpr int kRows = 512, kInner = 256, kColumns = 256;
  constexpr double kOperations = 2.0 * kRows * kInner * kColumns;
  constexpr double kLeastSeconds = 0.1;  // long enough that the clock does not matter
  const c10::InferenceMode guard;
  const int threads_before = at::get_num_threads();
  at::set_num_threads(1);
  const auto options = at::dtype(type == ProductType::float32 ? at::kFloat : at::kBFloat16);
  const at::Tensor a = at::ones({kRows, kInner}, options), b = at::ones({kInner, kColumns}, options);
  at::Tensor c = at::empty({kRows, kColumns}, options);
  int products = 0;
  double seconds = 0;
  const auto start = std::chrono::steady_clock::now();
  do {
    at::mm_out(c, a, b);
    ++products;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  } while (seconds < kLeastSeconds);
  at::set_num_threads(threads_before);
  return 1e-9 * kOperations * products / seconds;
}

std::string torch_version() { return TORCH_VERSION; }

}  // namespace wari
