#include "cuda/device.h"
#include "cuda/device_network.h"

// Takes the place of device_network.cu in a build without CUDA.
namespace wari {

std::unique_ptr<Evaluator> make_device_mlp_evaluator(const LayeredWeights&, std::span<const Rules>, int, DevicePrecision) {
  require_device();
  return nullptr;
}

std::unique_ptr<Evaluator> make_device_conv_evaluator(const LayeredWeights&, std::span<const Rules>, int, DevicePrecision) {
  require_device();
  return nullptr;
}

std::vector<float> multiply_on_device(std::span<const float>, std::span<const float>, std::span<const float>, int, int, int) {
  require_device();
  return {};
}

std::vector<KernelImage> network_kernel_images() { return {}; }

double device_evaluations_per_second(Evaluator&, int, double) {
  require_device();
  return 0;
}

std::vector<float> evaluate_on_device(Evaluator&, std::span<const Token>, std::span<const std::uint8_t>, std::span<const std::uint8_t>) {
  require_device();
  return {};
}

}  // namespace wari
