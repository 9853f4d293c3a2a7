#include "cuda/device.h"
#include "cuda/selfplay_engine.h"

// Takes the place of selfplay_engine.cu and device_evaluators.cu in a build without CUDA: there is never a device.
namespace wari {

std::unique_ptr<SelfplayEngine> make_cuda_selfplay_engine(const SelfplayEngineSettings&, std::unique_ptr<Evaluator>) {
  require_device();
  return nullptr;
}

std::vector<KernelImage> search_kernel_images() { return {}; }

std::unique_ptr<Evaluator> make_device_hash_evaluator(std::uint64_t) {
  require_device();
  return nullptr;
}

std::unique_ptr<Evaluator> make_device_uniform_evaluator() {
  require_device();
  return nullptr;
}

}  // namespace wari
