#include "train/training_settings.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "cuda/device.h"
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

}  // namespace

void resolve_settings(TrainingSettings& settings) {
  if (settings.workers == 0) settings.workers = usable_cores();
  if (settings.device == "cuda") {
    require_device();
    device_precision(settings.precision);
  }
  check_replay(settings.replay);
  check_evaluation(settings.evaluation, make_rules_mix(settings.rules).rules.front());
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
