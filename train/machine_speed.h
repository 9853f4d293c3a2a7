#pragma once

#include <string>

namespace wari {

enum class ProductType { float32, bfloat16 };

// Speed of a 512 x 256 x 256 matrix product in LibTorch on one thread, in 10^9 operations a second: what the machine is worth today.
double matrix_product_gflops(ProductType type);

// Of the LibTorch that this build was made with.
std::string torch_version();

}  // namespace wari
