#include <chrono>
#include <cstdint>

#include "app/bench.h"
#include "train/machine_speed.h"

// What the machine is worth today: figures that do not depend on our code, so that two runs of the other groups can be compared.
namespace wari {

namespace {

// Each step needs the one before: a multiplication, an addition and a shift-xor, so neither vector units nor wide issue help.
double integer_nanoseconds_per_step() {
  constexpr int kSteps = 20'000'000;
  std::uint64_t x = 0x9e3779b97f4a7c15ull;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    x ^= x >> 29;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  volatile std::uint64_t kept = x;
  (void)kept;
  return 1e9 * seconds / kSteps;
}

}  // namespace

std::vector<BenchResult> bench_machine() {
  return {
      measure("machine.integer_ns", "ns", integer_nanoseconds_per_step),
      measure("machine.matmul_f32_gflops", "GFLOP/s", [] { return matrix_product_gflops(ProductType::float32); }),
      measure("machine.matmul_bf16_gflops", "GFLOP/s", [] { return matrix_product_gflops(ProductType::bfloat16); }),
  };
}

}  // namespace wari
