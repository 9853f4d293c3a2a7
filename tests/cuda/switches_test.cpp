#include "cuda/switches.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace wari {
namespace {

TEST(CudaSwitches, AreWordsOfOneVariable) {
  EXPECT_EQ(parse_cuda_switches(""), CudaSwitches{});
  EXPECT_FALSE(parse_cuda_switches("no-graphs").graphs);
  EXPECT_EQ(parse_cuda_switches("one-wave,no-graphs").waves_together, 1);
  EXPECT_TRUE(parse_cuda_switches("sync").synchronise);
  EXPECT_FALSE(parse_cuda_switches("sync").graphs);  // a captured kernel cannot be waited for
  EXPECT_THROW(parse_cuda_switches("no-graphs,slow"), Error);
}

}  // namespace
}  // namespace wari
