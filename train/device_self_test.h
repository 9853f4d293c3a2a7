#pragma once

#include <span>

#include "core/tokens.h"
#include "cuda/device_network.h"
#include "cuda/self_test.h"
#include "train/device_window.h"
#include "train/trainer.h"

namespace wari {

// Twenty optimiser steps of a small network at `where` and by hand on the CPU, from the same weights and batches: do they go the same way? A bfloat16 product is good to about
// one part in 250, so on a GPU they may differ by a tenth of the way. Throws Error where the device does not work at all.
SelfTest test_learning(LearnsOn where);

// Batches of all rule sets from a window that has wrapped around, every bit of them against those that the CPU encodes. `window` is empty and made for `root_value_share`.
using Gather = GatheredBatch (*)(SampleWindow& window, std::span<const std::uint32_t> places);
SelfTest test_batches(SampleWindow& window, double root_value_share, Gather gather);
SelfTest test_device_batches();  // on the GPU; throws Error without one

// A network on fixed positions: on the GPU, in bfloat16 and in float32, against float32 on the CPU. Throws Error without a GPU.
SelfTest test_device_network(TrunkKind kind);
// What the second of two answers to the same positions is worth. In bfloat16 policies may differ by 3 % on average, values by 0.03; in float32 by a thousandth at most.
SelfTest judge_outputs(std::span<const Token> tokens /* [n, kTokens] */, std::span<const float> expected /* [n, kNetworkOutputs] */, std::span<const float> got, DevicePrecision precision);

}  // namespace wari
