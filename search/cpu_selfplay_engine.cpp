#include <algorithm>

#include "search/cpu_executor.h"
#include "search/selfplay_lanes.h"

namespace wari {

void check_selfplay(const SelfplayEngineSettings& settings) {
  if (settings.rules.empty() || settings.rules.size() > 256) throw Error("self-play needs 1 to 256 rule sets, not " + std::to_string(settings.rules.size()));
  if (settings.rules_cycle.empty()) throw Error("self-play needs a cycle of rule sets: each set as often as its weight");
  for (const std::uint8_t index : settings.rules_cycle) {
    if (index >= settings.rules.size()) throw Error("the cycle of rule sets names set " + std::to_string(index) + " of " + std::to_string(settings.rules.size()));
  }
  for (const Rules& rules : settings.rules) {
    if (rules.quiet_plies == 0) throw Error("self-play under '" + rules_name(rules) + "' might never end: set quiet_plies to a number above 0");
  }
  if (settings.lanes < 1 || settings.total_lanes < settings.lanes) throw Error("self-play needs at least one lane, and no more in one engine than in all");
  if (std::max(settings.play.simulations, settings.play.capped_simulations) > kNarrowSimulations) {
    throw Error("self-play counts at most " + std::to_string(kNarrowSimulations) + " simulations a move: lower simulations");
  }
}

bool needs_twelve_edges(const SelfplayEngineSettings& settings) {
  return std::any_of(settings.rules.begin(), settings.rules.end(), [](const Rules& rules) { return rules.action_count() > kPits; });
}

void SelfplayEngine::play(int waves, const TakeMoves& take) {
  constexpr int kWavesOfPart = 32;  // whose moves are still in the cache
  std::vector<MoveRecord> moves;
  for (int done = 0; done < waves && !all_idle(); done += kWavesOfPart, moves.clear()) {
    run(std::min(kWavesOfPart, waves - done), moves);
    take(moves);
  }
}

std::unique_ptr<InspectedEngine> make_inspected_cpu_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator) {
  check_selfplay(settings);
  if (evaluator->on_device()) throw system_error("self-play on the CPU was given an evaluator of a GPU: report this as a fault");
  if (needs_twelve_edges(settings)) return std::make_unique<SelfplayLanes<CpuExecutor, NarrowNode12>>(settings, std::move(evaluator));
  return std::make_unique<SelfplayLanes<CpuExecutor, NarrowNode6>>(settings, std::move(evaluator));
}

std::unique_ptr<SelfplayEngine> make_cpu_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator) {
  return make_inspected_cpu_engine(settings, std::move(evaluator));
}

}  // namespace wari
