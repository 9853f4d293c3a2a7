#include "cuda/device.h"
#include "train/device_window.h"

// Takes the place of device_window.cu in a build without CUDA.
namespace wari {

std::unique_ptr<SampleWindow> make_device_window(double) {
  require_device();
  return nullptr;
}

std::vector<KernelImage> window_kernel_images() { return {}; }

GatheredBatch gather_on_device(SampleWindow&, std::span<const std::uint32_t>) {
  require_device();
  return {};
}

}  // namespace wari
