#include "train/training_settings.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "cuda/device.h"
#include "endgame/endgame_rules.h"
#include "train/network_evaluator.h"

namespace wari {
namespace {

// Cores that this process may use: what a container or `taskset` leaves of the machine.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Choices are compared beyond what self-play looks up.
void check_truth(const TrainingSettings& settings, const Rules& measured) {
  const int seeds = settings.evaluation.table_seeds, looked_up = settings.selfplay.endgame.seeds;
  if (settings.evaluation.every == 0 || seeds == 0) return;
  endgame_rules(measured);  // refuses rules whose endings are not solved
  if (seeds <= looked_up)
    throw Error(fmt::format("evaluation.table_seeds: '{}': self-play looks up boards of up to {} seeds itself: give more, so that something is left to be found, or 0", seeds, looked_up));
}

}  // namespace

void resolve_settings(TrainingSettings& settings) {
  if (settings.workers == 0) settings.workers = usable_cores();
  if (settings.device == "cuda") {
    require_device();
    device_precision(settings.precision);
  }
  check_replay(settings.replay);
  const Rules measured = make_rules_mix(settings.rules).rules.front();
  check_evaluation(settings.evaluation, measured);
  check_truth(settings, measured);
}

void require_end(const TrainingSettings& settings) {
  if (settings.iterations == 0 && settings.max_minutes == 0)
    throw Error("the run has no end: iterations and max_minutes are both 0: set one of them, e.g. --set max_minutes=15");
}

TrainingSettings read_training_settings(const std::string& file, const std::vector<std::string>& overrides) {
  ConfigSource source = ConfigSource::from_file(file);
  for (const std::string& assignment : overrides) source.override_with(assignment);
  TrainingSettings settings;
  load_config(settings, source);
  resolve_settings(settings);
  return settings;
}

}  // namespace wari
