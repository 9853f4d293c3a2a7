#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/rules.h"
#include "selfplay/sample.h"
#include "train/inference/aligned_vector.h"
#include "train/network.h"
#include "train/replay.h"
#include "train/sample_window.h"
#include "train/trainer.h"

namespace wari {

// The numbers of a network under training, flat float32 buffers [layout.size()] each; padding is 0.
struct LearnerState {
  explicit LearnerState(std::int64_t size) : weights(static_cast<std::size_t>(size)), averaged(weights), mean(weights), square(weights) {}
  AlignedVector<float> weights, averaged;
  AlignedVector<float> mean, square;  // AdamW's running moments
};

// What the schedule says of one step.
struct StepRates {
  double learning_rate = 0;
  std::int64_t update = 1;   // this one's number, from 1: for AdamW's corrections
  double average_decay = 0;
};

// How an optimiser step is computed: loss, gradient, clipping, AdamW, average. The schedule and the counting are the trainer's.
class Learner {
 public:
  virtual ~Learner() = default;
  // A step whose gradient is not finite changes nothing and is reported as skipped. Where the device works on its own the report comes with finish().
  virtual TrainReport step(std::span<const Sample> batch, std::span<const Rules> rules, const StepRates& rates) = 0;
  // The same on `batch` samples that `replay`, always the same one, draws for step `number`. The samples need not come here where the learner has a copy of the window.
  virtual TrainReport step_from(const Replay& replay, std::uint64_t number, int batch, const StepRates& rates);
  // Waits for all steps; their numbers as far as they were not told yet.
  virtual TrainReport finish() = 0;
  // Waits for all steps. Valid until the next call of step() or set_state().
  virtual const LearnerState& state() = 0;
  // `updates`: done so far.
  virtual void set_state(const LearnerState& state, std::int64_t updates) = 0;

 private:
  std::vector<Sample> drawn_;
};

// By hand on CPU cores: `workers` threads, this one included; bit-equal for the same state, batch and number of workers.
std::unique_ptr<Learner> make_cpu_learner(const NetworkLayout& layout, const TrainerSettings& settings, int workers);

// Autograd and fused optimiser of LibTorch: bfloat16 products on a GPU, nothing waited for within a step; float32 on the CPU, where the tests compare it with the other.
// Batches are gathered where the weights are, from `window`; without one, or where the samples do not fit into it, `workers` threads encode them. Throws Error where `cuda` and this
// LibTorch finds no GPU.
std::unique_ptr<Learner> make_torch_learner(const NetworkLayout& layout, const TrainerSettings& settings, int workers, bool cuda, std::unique_ptr<SampleWindow> window = nullptr);

}  // namespace wari
