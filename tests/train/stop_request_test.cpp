#include "train/stop_request.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace wari {
namespace {

TEST(StopRequest, FirstSignalIsNoted) {
  const StopRequest stop;
  EXPECT_FALSE(stop.requested());
  ::raise(SIGTERM);
  EXPECT_EQ(stop.signal(), SIGTERM);
}

TEST(StopRequestDeathTest, SecondSignalEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        const StopRequest stop;
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      testing::ExitedWithCode(130), "");
}

TEST(StopRequest, NextOneBeginsAnew) {
  {
    const StopRequest stop;
    ::raise(SIGINT);
  }
  const StopRequest stop;
  EXPECT_FALSE(stop.requested());
}

}  // namespace
}  // namespace wari
