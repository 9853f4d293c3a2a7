#include "cuda/selfplay_engine.h"

#include <algorithm>

#include "cuda/cuda_executor.h"
#include "cuda/device.h"
#include "search/selfplay_lanes.h"

namespace wari {

std::unique_ptr<SelfplayEngine> make_cuda_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator) {
  require_device();
  check_selfplay(settings);
  if (!evaluator->on_device()) throw system_error("self-play on a GPU was given an evaluator of the CPU: report this as a fault");
  if (needs_twelve_edges(settings)) return std::make_unique<SelfplayLanes<CudaExecutor, NarrowNode12>>(settings, std::move(evaluator));
  return std::make_unique<SelfplayLanes<CudaExecutor, NarrowNode6>>(settings, std::move(evaluator));
}

}  // namespace wari
