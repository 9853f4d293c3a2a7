#include "cuda/selfplay_engine.h"

#include <algorithm>

#include "cuda/batch_search.h"
#include "cuda/cuda_executor.h"
#include "cuda/device.h"
#include "cuda/image_of.h"
#include "search/selfplay_lanes.h"

namespace wari {

void add_evaluator_images(std::vector<KernelImage>& images);  // device_evaluators.cu
void add_rules_images(std::vector<KernelImage>& images);      // rules_check_device.cu

namespace {

// The kernels of SelfplayLanes<CudaExecutor, N>.
template <class N>
void add_images(const std::string& layout, std::vector<KernelImage>& images) {
  using Executor = CudaExecutor;
  using Kernel = Executor::Kernel;
  images.push_back(image_of("open, backup" + layout, lane_kernel<Executor::OpenStep<N>, Executor::BackupStep<N>>));
  images.push_back(image_of("turn" + layout, lane_kernel<TurnStep<N>>));
  images.push_back(image_of("descend, expand" + layout, lane_kernel<Executor::DescendStep<N>, ExpandStep<Kernel, N>>));
  images.push_back(image_of("turn, encode" + layout, lane_kernel<TurnStep<N>, Executor::EncodeStep<N>, CountStep<N>>));
  images.push_back(image_of("drain" + layout, drain_kernel<N>));
  images.push_back(image_of("begin" + layout, lane_kernel<BeginStep<N>>));
  images.push_back(image_of("wake" + layout, lane_kernel<WakeStep<N>>));
  images.push_back(image_of("restart" + layout, lane_kernel<RestartStep<N>>));
  images.push_back(image_of("resume" + layout, lane_kernel<ResumeStep<N>>));
  images.push_back(image_of("checksum" + layout, lane_kernel<ChecksumStep<N>>));
}

}  // namespace

std::vector<KernelImage> search_kernel_images() {
  std::vector<KernelImage> images;
  if (devices().empty()) return images;
  add_images<NarrowNode6>(", six edges", images);
  add_images<NarrowNode12>(", twelve edges", images);
  for (KernelImage& image : batch_search_kernel_images()) images.push_back(std::move(image));
  add_evaluator_images(images);
  add_rules_images(images);
  return images;
}

std::unique_ptr<SelfplayEngine> make_cuda_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator) {
  require_device();
  check_selfplay(settings);
  if (!evaluator->on_device()) throw system_error("self-play on a GPU was given an evaluator of the CPU: report this as a fault");
  std::unique_ptr<InspectedEngine> engine;
  if (needs_twelve_edges(settings)) {
    engine = std::make_unique<SelfplayLanes<CudaExecutor, NarrowNode12>>(settings, std::move(evaluator));
  } else {
    engine = std::make_unique<SelfplayLanes<CudaExecutor, NarrowNode6>>(settings, std::move(evaluator));
  }
  if (cuda_switches().compare) return make_comparing_engine(settings, std::move(engine));
  return engine;
}

}  // namespace wari
