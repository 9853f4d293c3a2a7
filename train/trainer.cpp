#include "train/trainer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "train/device_window.h"
#include "train/learner.h"
#include "train/state_tensors.h"

namespace wari {

namespace {

std::unique_ptr<Learner> make_learner(LearnsOn where, bool window_on_device, const NetworkLayout& layout, const TrainerSettings& settings, int workers) {
  if (where == LearnsOn::cpu) return make_cpu_learner(layout, settings, workers);
  const bool cuda = where == LearnsOn::cuda;
  return make_torch_learner(layout, settings, workers, cuda, cuda && window_on_device ? make_device_window(settings.root_value_share) : nullptr);
}

}  // namespace

struct Trainer::Parts {
  Parts(const NetworkSettings& network, const TrainerSettings& trainer_settings, int workers, std::uint64_t seed, LearnsOn where, bool window_on_device)
      : layout(network), settings(trainer_settings), learner(make_learner(where, window_on_device, layout, settings, workers)) {
    LearnerState state(layout.size());
    const std::vector<float> initial = initial_weights(layout, seed);
    state.weights.assign(initial.begin(), initial.end());
    state.averaged = state.weights;
    learner->set_state(state, 0);
  }

  std::int64_t updates() const { return steps - skipped; }
  double learning_rate() const;
  // Young weights change fast: their average forgets its beginnings sooner.
  StepRates rates() const {
    const auto count = static_cast<double>(updates() + 1);
    return {learning_rate(), updates() + 1, std::min(settings.average_decay, count / (count + 10))};
  }

  const TrainReport& counted(const TrainReport& report) {
    ++steps;
    skipped += report.skipped_steps;
    return report;
  }

  NetworkLayout layout;
  TrainerSettings settings;
  std::unique_ptr<Learner> learner;
  std::int64_t steps = 0;    // batches seen
  std::int64_t skipped = 0;  // those that did not change the weights
  double progress = 0;
};

double Trainer::Parts::learning_rate() const {
  const double warm = settings.warmup_steps > 0 ? std::min(1.0, static_cast<double>(updates() + 1) / settings.warmup_steps) : 1.0;
  double factor = 1;
  if (settings.schedule == Schedule::cosine) {
    const double share = settings.schedule_steps > 0 ? std::min(1.0, static_cast<double>(steps) / static_cast<double>(settings.schedule_steps)) : progress;
    factor = settings.final_share + (1 - settings.final_share) * 0.5 * (1 + std::cos(std::numbers::pi * share));
  }
  return settings.learning_rate * warm * factor;
}

Trainer::Trainer(const NetworkSettings& network, const TrainerSettings& settings, int workers, std::uint64_t seed, LearnsOn where, bool window_on_device)
    : parts_(std::make_unique<Parts>(network, settings, std::max(1, workers), seed, where, window_on_device)) {}

Trainer::~Trainer() = default;

TrainReport Trainer::step(std::span<const Sample> batch, std::span<const Rules> rules) {
  if (batch.empty()) throw Error("an optimiser step needs at least one sample");
  return parts_->counted(parts_->learner->step(batch, rules, parts_->rates()));
}

TrainReport Trainer::step(const Replay& replay) {
  return parts_->counted(parts_->learner->step_from(replay, static_cast<std::uint64_t>(parts_->steps), parts_->settings.batch, parts_->rates()));
}

TrainReport Trainer::finish() {
  const TrainReport report = parts_->learner->finish();
  parts_->skipped += report.skipped_steps;
  return report;
}

void Trainer::set_progress(double share) { parts_->progress = std::clamp(share, 0.0, 1.0); }
double Trainer::progress() const { return parts_->progress; }
double Trainer::learning_rate() const { return parts_->learning_rate(); }
std::int64_t Trainer::steps() const { return parts_->steps; }
std::int64_t Trainer::skipped_steps() const { return parts_->skipped; }
const NetworkLayout& Trainer::layout() const { return parts_->layout; }

FoldedNetwork Trainer::folded(bool averaged) const {
  const LearnerState& state = parts_->learner->state();
  return fold_network(parts_->layout, averaged ? state.averaged : state.weights);
}

TrainerState Trainer::save() const {
  const LearnerState& now = parts_->learner->state();
  TrainerState state;
  write_tensors(parts_->layout, now.weights, "raw.", state.weights);
  write_tensors(parts_->layout, now.averaged, "averaged.", state.weights);
  write_tensors(parts_->layout, now.mean, "mean.", state.optimizer);
  write_tensors(parts_->layout, now.square, "square.", state.optimizer);
  const std::int64_t counters[] = {parts_->steps, parts_->updates(), std::bit_cast<std::int64_t>(parts_->progress)};
  state.optimizer.tensors["counters"] = Tensor::integers(counters);
  return state;
}

void Trainer::load(const TrainerState& state) {
  check_tensors(parts_->layout, {"raw.", "averaged."}, {}, state.weights, "weights.safetensors");
  check_tensors(parts_->layout, {"mean.", "square."}, {"counters"}, state.optimizer, "optimizer.safetensors");
  const std::span<const std::int64_t> counters = state.optimizer.tensors.at("counters").as_integers();
  if (counters.size() != 3) throw Error("the counters of the optimiser are not three numbers: optimizer.safetensors: made by another version");
  LearnerState loaded(parts_->layout.size());
  read_tensors(parts_->layout, "raw.", state.weights, loaded.weights);
  read_tensors(parts_->layout, "averaged.", state.weights, loaded.averaged);
  read_tensors(parts_->layout, "mean.", state.optimizer, loaded.mean);
  read_tensors(parts_->layout, "square.", state.optimizer, loaded.square);
  parts_->steps = counters[0];
  parts_->skipped = counters[0] - counters[1];
  parts_->progress = std::bit_cast<double>(counters[2]);
  parts_->learner->set_state(loaded, parts_->updates());
}

void Trainer::start_from(const SafeTensors& weights) {
  check_tensors(parts_->layout, {"raw.", "averaged."}, {}, weights, "weights.safetensors");
  LearnerState begun(parts_->layout.size());
  read_tensors(parts_->layout, "averaged.", weights, begun.weights);
  begun.averaged = begun.weights;
  parts_->steps = parts_->skipped = 0;
  parts_->progress = 0;
  parts_->learner->set_state(begun, 0);
}

}  // namespace wari
