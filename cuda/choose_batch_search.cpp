#include "cuda/batch_search.h"

namespace wari {

std::unique_ptr<BatchSearch> make_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator) {
  return evaluator.on_device() ? make_cuda_batch_search(settings, evaluator) : make_cpu_batch_search(settings, evaluator);
}

}  // namespace wari
