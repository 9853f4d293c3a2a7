#pragma once

#include <cstdint>

#include "selfplay/sample.h"
#include "train/network.h"
#include "train/sample_targets.h"
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

}  // namespace wari
