#include "cuda/batch_search.h"
#include "cuda/device.h"

// Takes the place of batch_search.cu in a build without CUDA: there is never a device.
namespace wari {

std::unique_ptr<BatchSearch> make_cuda_batch_search(const BatchSearchSettings&, const Evaluator&) {
  require_device();
  return nullptr;
}

std::vector<KernelImage> batch_search_kernel_images() { return {}; }

}  // namespace wari
