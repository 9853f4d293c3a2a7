#include "cuda/batch_search.h"

#include "cuda/cuda_executor.h"
#include "cuda/device.h"
#include "cuda/image_of.h"
#include "search/lanes_batch_search.h"

namespace wari {
namespace {

// The kernels of BatchLanes<CudaExecutor, N> that self-play does not have.
template <class N>
void add_images(const std::string& layout, std::vector<KernelImage>& images) {
  images.push_back(image_of("first task" + layout, lane_kernel<FirstTaskStep<N>>));
  images.push_back(image_of("task" + layout, lane_kernel<TaskStep<N>>));
  images.push_back(image_of("encode" + layout, lane_kernel<CudaExecutor::EncodeStep<N>>));
}

}  // namespace

std::vector<KernelImage> batch_search_kernel_images() {
  std::vector<KernelImage> images;
  if (devices().empty()) return images;
  add_images<NarrowNode6>(", six edges", images);
  add_images<NarrowNode12>(", twelve edges", images);
  add_images<WideNode6>(", six edges, wide", images);
  add_images<WideNode12>(", twelve edges, wide", images);
  return images;
}

std::unique_ptr<BatchSearch> make_cuda_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator) {
  require_device();
  if (!evaluator.on_device()) throw system_error("a search on a GPU was given an evaluator of the CPU: report this as a fault");
  BatchSearchSettings own = settings;
  own.workers = 1;
  return std::make_unique<LanesBatchSearch<CudaExecutor>>(own, evaluator);
}

}  // namespace wari
