#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rules.h"
#include "selfplay/sample.h"
#include "train/network.h"
#include "train/safetensors.h"

// How the network learns: batches of samples in, new weights out. Torch stays behind this interface.
namespace wari {

enum class Schedule : std::uint8_t { constant, cosine };

struct TrainerSettings {
  int batch = 2048;
  double learning_rate = 5e-3;
  int warmup_steps = 200;
  Schedule schedule = Schedule::cosine;
  std::int64_t schedule_steps = 0;
  double final_share = 0.03;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0.01;
  double clip_norm = 1.0;
  double average_decay = 0.998;
  double policy_weight = 1.0;
  double value_weight = 1.0;
  double margin_weight = 0.5;
  double margin_classes_weight = 0.02;
  double plies_left_weight = 0.02;
  double root_value_share = 0.0;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("batch", batch, 1, 1 << 20, "samples of one optimiser step");
    v.number("learning_rate", learning_rate, 1e-8, 1.0, "peak of AdamW's learning rate");
    v.number("warmup_steps", warmup_steps, 0, 1000000, "optimiser steps over which the learning rate rises from nothing to its peak");
    v.choice("schedule", schedule, {"constant", "cosine"}, "constant after the warm-up, or a cosine down to final_share of the peak");
    v.number("schedule_steps", schedule_steps, 0, 1000000000000LL, "optimiser steps at which the cosine ends; 0: it follows the share of max_minutes used so far");
    v.number("final_share", final_share, 0.0, 1.0, "where the cosine ends, as a share of the peak");
    v.number("beta1", beta1, 0.0, 0.9999, "AdamW: decay of the gradient's running mean, per step");
    v.number("beta2", beta2, 0.0, 0.99999, "AdamW: decay of the squared gradient's running mean, per step");
    v.number("weight_decay", weight_decay, 0.0, 10.0, "AdamW: decay of hidden matrices, times the learning rate per step; embeddings, biases and heads do not decay");
    v.number("clip_norm", clip_norm, 0.0, 1e9, "the gradient's length is cut to this; 0: never");
    v.number("average_decay", average_decay, 0.0, 0.999999, "decay per step of the averaged weights, which play and are exported");
    v.number("policy_weight", policy_weight, 0.0, 1000.0, "weight of the policy's cross-entropy in the loss");
    v.number("value_weight", value_weight, 0.0, 1000.0, "weight of the cross-entropy of win, draw and loss");
    v.number("margin_weight", margin_weight, 0.0, 1000.0, "weight of the squared error of the expected margin, which is a share of all seeds");
    v.number("margin_classes_weight", margin_classes_weight, 0.0, 1000.0, "weight of the cross-entropy of the margin's distribution (only teaches the trunk, and serves analysis)");
    v.number("plies_left_weight", plies_left_weight, 0.0, 1000.0, "weight of the squared error of plies left, in hundreds of plies (likewise)");
    v.number("root_value_share", root_value_share, 0.0, 1.0, "share of the search's value in the target of win, draw and loss; the rest is the game's outcome");
  }
};

inline constexpr int kCalibrationBins = 10;  // of the predicted value, -1..1 in equal parts

// Sums over samples and steps; add() joins steps, the methods give means. All that is printed comes from here.
struct TrainReport {
  std::int64_t samples = 0;
  std::int64_t policy_samples = 0;       // those with a policy target
  std::int64_t steps = 0;                // taken
  std::int64_t skipped_steps = 0;        // the gradient was not finite: nothing was changed
  double policy_loss_sum = 0;            // cross-entropy in nats, over policy_samples; the others over samples
  double policy_target_entropy_sum = 0;  // the least that policy_loss can reach
  double policy_entropy_sum = 0;         // of the network's policy
  double policy_hits = 0;                // network's and target's best action agree
  double value_loss_sum = 0;
  double value_hits = 0;                 // most probable of win, draw, loss was right
  double margin_loss_sum = 0;
  double margin_classes_loss_sum = 0;
  double plies_left_loss_sum = 0;
  double value_sum = 0, value_squares = 0;         // predicted win minus loss
  double gradient_norm_sum = 0;                    // before clipping, over steps
  std::array<double, kCalibrationBins> bin_count{}, bin_predicted{}, bin_outcome{};  // samples, sums of predicted value and of outcome (1, 0, -1) by predicted value

  void add(const TrainReport& other);
  double policy_loss() const;
  double policy_target_entropy() const;
  double policy_entropy() const;
  double policy_accuracy() const;
  double value_loss() const;
  double value_accuracy() const;
  double margin_loss() const;
  double margin_classes_loss() const;
  double plies_left_loss() const;
  double value_mean() const;
  double value_spread() const;           // standard deviation of the predicted value: near 0, the value head knows nothing
  double gradient_norm() const;
  double calibration_error() const;      // mean |predicted - outcome| over bins, weighted by their samples
};

// What a checkpoint keeps of a trainer.
struct TrainerState {
  SafeTensors weights;    // "raw.NAME" and "averaged.NAME"
  SafeTensors optimizer;  // "mean.NAME", "square.NAME", and "counters"
};

class Replay;

// Where steps are computed (train/learner.h). `torch_cpu` is the GPU's way on this processor, for tests.
enum class LearnsOn : std::uint8_t { cpu, torch_cpu, cuda };

class Trainer {
 public:
  // `workers` threads in all, this one included; the same seed gives the same initial weights everywhere. `window_on_device`: a GPU gets a copy of the replay window.
  Trainer(const NetworkSettings& network, const TrainerSettings& settings, int workers, std::uint64_t seed, LearnsOn where = LearnsOn::cpu, bool window_on_device = true);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // One optimiser step on a batch. On CPU cores bit-equal for the same state, batch and number of workers; on a GPU the report comes with finish().
  TrainReport step(std::span<const Sample> batch, std::span<const Rules> rules);
  // The same on the batch that `replay`, always the same one, draws for the trainer's next step.
  TrainReport step(const Replay& replay);
  // Waits for all steps; their numbers as far as they were not told yet.
  TrainReport finish();

  // Share of the run's time used so far, 0..1: what the cosine follows while schedule_steps is 0. Kept in the state.
  void set_progress(double share);
  double progress() const;
  double learning_rate() const;          // of the next step
  std::int64_t steps() const;            // taken, skipped ones included
  std::int64_t skipped_steps() const;
  const NetworkLayout& layout() const;

  FoldedNetwork folded(bool averaged = true) const;  // a copy: later steps do not change it

  TrainerState save() const;             // a copy
  // Everything as it was at save(). Throws Error that lists missing, unexpected and differently shaped tensors.
  void load(const TrainerState& state);
  // For a new run from old weights: both raw and averaged become those of the file's averaged ones; the optimiser begins anew.
  void start_from(const SafeTensors& weights);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wari
