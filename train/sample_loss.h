#pragma once

#include <cstdint>

#include "selfplay/sample.h"
#include "train/network.h"
#include "train/trainer.h"

namespace wari {

// The loss of one sample and its gradient with respect to the network's outputs: what every training path, by hand or by autograd, must agree on.
//
//   policy          cross-entropy against the search's policy, over legal actions only (illegal logits take no part); nothing without a policy target
//   win, draw, loss cross-entropy against the outcome, mixed with the search's value by `root_value_share`
//   margin          squared error of the expected margin, as a share of all seeds
//   margin classes  cross-entropy against the final margin in whole seeds
//   plies left      squared error in kPliesLeftUnit
//
// On entry `outputs` [kHeadOutputs] are the network's; on return the gradient of loss x `scale`. Adds the sample's numbers to `report`.
void sample_loss(const TrainerSettings& settings, const Sample& sample, int total_seeds, float scale, float* outputs, TrainReport& report);

// The targets of a sample as numbers, shared with the reference in tests.
bool has_policy_target(const Sample& sample);
void value_target(const TrainerSettings& settings, const Sample& sample, float* target /* [3]: win, draw, loss */);
int margin_class(const Sample& sample);          // 0..kMarginClasses - 1
float margin_target(const Sample& sample, int total_seeds);
float plies_left_target(const Sample& sample);

}  // namespace wari
