#pragma once

#include "cuda/self_test.h"
#include "train/trainer.h"

namespace wari {

// Twenty optimiser steps of a small network at `where` and by hand on the CPU, from the same weights and batches: do they go the same way? A bfloat16 product is good to about
// one part in 250, so on a GPU they may differ by a tenth of the way. Throws Error where the device does not work at all.
SelfTest test_learning(LearnsOn where);

}  // namespace wari
