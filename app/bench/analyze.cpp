#include <vector>

#include "app/bench.h"
#include "core/game.h"
#include "search/batch_search.h"
#include "train/network.h"
#include "train/network_evaluator.h"

// One position and one tree, as `wari analyze` searches it.
namespace wari {

std::vector<BenchResult> bench_analyze() {
  constexpr int kSimulations = 20'000;
  const NetworkLayout layout(NetworkSettings{TrunkKind::mlp, 256, 3});
  const std::vector<Rules> rules{Rules{}};
  const auto evaluator = make_network_evaluator(fold_network(layout, initial_weights(layout, 1)), rules);
  BatchSearchSettings settings;
  settings.search.algorithm = Algorithm::puct;
  settings.lanes = 1;
  const auto search = make_cpu_batch_search(settings, *evaluator);
  const RootRequest request{rules[0], Game(rules[0]).since_capture(), kSimulations, 1};
  return {measure_rate("analyze." + network_name(layout.settings()) + ".simulations_per_second", [&] {
    return static_cast<double>(search->search({&request, 1}).front().simulations);
  })};
}

}  // namespace wari
