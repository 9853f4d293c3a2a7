#pragma once

#include "search/lane_array.h"
#ifdef __AVX2__
#include "search/avx_kernel.h"
#else
#include "search/plain_kernel.h"
#endif

namespace wari {

// Runs steps over lanes in the calling thread; a worker per core has an engine of its own. The executor of a GPU launches a kernel instead and keeps its arrays there.
struct CpuExecutor {
  template <class T>
  using Array = LaneArray<T>;
#ifdef __AVX2__
  using Kernel = AvxKernel;
#else
  using Kernel = PlainKernel;
#endif

  // Each stage stays a function of its own: inlined into one body they once ran three times slower.
  template <class Step>
  [[gnu::noinline]] static void run(const Step& shared_step, int lanes) {
    const Step step = shared_step;  // its pointers stay in registers
    for (int lane = 0; lane < lanes; ++lane) step(lane);
  }
};

}  // namespace wari
