#include "cuda/switches.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "cuda/kernel_times.h"
#include "search/plain_steps.h"
#include "search/play_step.h"

namespace wari {
namespace {

TEST(CudaSwitches, AreWordsOfOneVariable) {
  EXPECT_EQ(parse_cuda_switches(""), CudaSwitches{});
  EXPECT_FALSE(parse_cuda_switches("no-graphs").graphs);
  EXPECT_EQ(parse_cuda_switches("one-wave,no-graphs").waves_together, 1);
  EXPECT_TRUE(parse_cuda_switches("sync").synchronise);
  EXPECT_FALSE(parse_cuda_switches("sync").graphs);  // a captured kernel cannot be waited for
  EXPECT_TRUE(parse_cuda_switches("compare").compare);
  EXPECT_TRUE(parse_cuda_switches("compare").graphs);
  EXPECT_EQ(parse_cuda_switches("compare").waves_together, 1);  // what a lane logged is taken away when the CPU's is
  EXPECT_TRUE(parse_cuda_switches("guard,float32").guard);
  EXPECT_TRUE(parse_cuda_switches("guard,float32").float32);
  EXPECT_THROW(parse_cuda_switches("no-graphs,slow"), Error);
}

TEST(CudaSwitches, AScopeHoldsUntilItsEnd) {
  const CudaSwitches outside = cuda_switches();
  {
    const CudaSwitchesScope eager(parse_cuda_switches("no-graphs"));
    EXPECT_FALSE(cuda_switches().graphs);
    {
      const CudaSwitchesScope one_wave(parse_cuda_switches("one-wave"));
      EXPECT_TRUE(cuda_switches().graphs);
      EXPECT_EQ(cuda_switches().waves_together, 1);
    }
    EXPECT_FALSE(cuda_switches().graphs);
  }
  EXPECT_EQ(cuda_switches(), outside);
}

TEST(KernelTimes, AreNamedAfterTheSteps) {
  EXPECT_EQ(step_name<TurnStep<NarrowNode6>>(), "TurnStep");
  EXPECT_EQ((step_name<OpenStep<PlainKernel, NarrowNode12>>()), "OpenStep");
}

}  // namespace
}  // namespace wari
