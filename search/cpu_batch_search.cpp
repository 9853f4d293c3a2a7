#include "core/error.h"
#include "search/cpu_executor.h"
#include "search/lanes_batch_search.h"

namespace wari {

RootResult result_of_finished(const Rules& rules, const Position& position, End end) {
  const FinalStores stores = final_stores(rules, position, end);
  const int difference = stores.mover_half_seeds - stores.opponent_half_seeds;
  RootResult result;
  result.value = difference > 0 ? 1.0f : difference < 0 ? -1.0f : 0.0f;
  result.proven = true;
  result.wdl[0] = difference > 0 ? 1.0f : 0.0f;
  result.wdl[1] = difference == 0 ? 1.0f : 0.0f;
  result.wdl[2] = difference < 0 ? 1.0f : 0.0f;
  result.margin = static_cast<float>(difference) * 0.5f;
  return result;
}

std::unique_ptr<BatchSearch> make_cpu_batch_search(const BatchSearchSettings& settings, const Evaluator& evaluator) {
  if (settings.lanes < 1 || settings.workers < 1) throw Error("a batch of searches needs at least one lane and one worker");
  return std::make_unique<LanesBatchSearch<CpuExecutor>>(settings, evaluator);
}

}  // namespace wari
