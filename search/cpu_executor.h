#pragma once

#include "search/lane_array.h"
#include "search/plain_kernel.h"

namespace wari {

// Runs steps over lanes in the calling thread; a worker per core has an engine of its own. The executor of a GPU launches a kernel instead and keeps its arrays there.
struct CpuExecutor {
  template <class T>
  using Array = LaneArray<T>;
  using Kernel = PlainKernel;

  // Each stage stays a function of its own: inlined into one body they once ran three times slower.
  template <class Step>
  [[gnu::noinline]] static void run(const Step& step, int lanes) {
    for (int lane = 0; lane < lanes; ++lane) step(lane);
  }
};

}  // namespace wari
