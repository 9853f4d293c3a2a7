#include "train/run_length.h"

#include <gmock/gmock.h>

namespace wari {
namespace {

TEST(RunLength, EndsWithItsIterations) {
  TrainingSettings settings;
  settings.iterations = 6;
  const RunLength length(settings, 0);
  EXPECT_FALSE(length.has_ended(5, 1e9));
  EXPECT_TRUE(length.has_ended(6, 0));
  EXPECT_EQ(length.share_used(), 0) << "no schedule depends on iterations";
}

TEST(RunLength, LastIterationIsBegunIfMostOfItFits) {
  TrainingSettings settings;
  settings.max_minutes = 1;
  const RunLength length(settings, 0);
  EXPECT_FALSE(length.has_ended(0, 0));
  EXPECT_FALSE(length.has_ended(5, 50)) << "10 s an iteration: ends at 60 s";
  EXPECT_FALSE(length.has_ended(5, 54)) << "10.8 s an iteration: 6 s left";
  EXPECT_TRUE(length.has_ended(5, 56)) << "11.2 s an iteration: 4 s left";
}

TEST(RunLength, TimeOfEarlierProcessesCounts) {
  TrainingSettings settings;
  settings.max_minutes = 10;
  const RunLength length(settings, 300);
  EXPECT_NEAR(length.share_used(), 0.5, 0.01);
  EXPECT_EQ(RunLength(settings, 6000).share_used(), 1);
  EXPECT_THAT(length.time_left(3), testing::AnyOf("4:59 left", "5:00 left"));
  settings.iterations = 4;
  EXPECT_THAT(length.time_left(3), testing::AnyOf("1:40 left", "1:39 left")) << "one more at 100 s each";
  EXPECT_EQ(RunLength(TrainingSettings{}, 0).time_left(0), "");
}

}  // namespace
}  // namespace wari
