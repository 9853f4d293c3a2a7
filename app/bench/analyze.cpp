#include <vector>

#include "app/bench.h"
#include "app/commands.h"
#include "arena/player.h"
#include "core/game.h"
#include "search/thinker.h"
#include "train/network.h"
#include "train/network_evaluator.h"

// One position and one tree, as `wari analyze` searches it.
namespace wari {

std::vector<BenchResult> bench_analyze() {
  constexpr int kSimulations = 100'000;
  const NetworkLayout layout(NetworkSettings{TrunkKind::mlp, 256, 3});
  const std::vector<Rules> rules{Rules{}};
  const auto evaluator = make_network_evaluator(fold_network(layout, initial_weights(layout, 1)), rules);
  ThinkerSettings settings;
  settings.search = playing_search();
  settings.workers = workers_or_cores(0);
  const auto thinker = make_thinker(settings, *evaluator);
  thinker->set_game(Game(rules[0]));
  return {measure_rate("analyze." + network_name(layout.settings()) + ".simulations_per_second", [&] {
    thinker->forget();
    return static_cast<double>(thinker->think({kSimulations, {}, {}}).simulations);
  })};
}

}  // namespace wari
