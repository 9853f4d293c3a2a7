#pragma once

#include <algorithm>

#include "search/lane_array.h"
#ifdef __AVX2__
#include "search/avx_encode_step.h"
#include "search/avx_open_step.h"
#endif
#include "search/group_steps.h"
#include "search/plain_steps.h"

namespace wari {

// Runs steps over lanes in the calling thread; a worker per core has an engine of its own. The executor of a GPU launches a kernel instead and keeps its arrays there.
struct CpuExecutor : PlainSteps {
  static constexpr bool kOnDevice = false;
  template <class T>
  using Array = LaneArray<T>;
#ifdef __AVX2__
  using Kernel = AvxKernel;
  template <class N>
  using OpenStep = AvxOpenStep<N>;
  template <class N>
  using EncodeStep = wari::EncodeStep<AvxEncoder, N>;
#endif
  template <class N>
  using BackupStep = GroupBackupStep<Kernel, N>;
  template <class N>
  using DescendStep = GroupDescendStep<N>;

  static const SowingTables* sowing() { return &sowing_tables(); }
  static void* stream() { return nullptr; }
  static void forget() {}

  // One step over all lanes.
  template <class Step>
  static void each(int lanes, const Step& step) {
    run(step, 0, lanes);
  }

  // The steps of a wave over groups of lanes: what one step touched is still in the first-level cache for the next, and the next group's trees are on their way.
  template <class Prefetch, class... Steps>
  static void wave(int lanes, const Prefetch& prefetch, const Steps&... steps) {
    run(prefetch, 0, std::min(kGroup, lanes));
    for (int first = 0; first < lanes; first += kGroup) {
      const int last = std::min(first + kGroup, lanes);
      run(prefetch, last, std::min(last + kGroup, lanes));
      (run(steps, first, last), ...);
    }
  }

  // Each stage stays a function of its own: inlined into one body they once ran three times slower.
  template <class Step>
  [[gnu::noinline]] static void run(const Step& shared_step, int first, int last) {
    const Step step = shared_step;  // its pointers stay in registers
    if constexpr (requires { step.group(first, last); }) {
      step.group(first, last);
    } else {
      for (int lane = first; lane < last; ++lane) step(lane);
    }
  }

 private:
  static constexpr int kGroup = kLanesOfGroup;
};

}  // namespace wari
