#include "cuda/launch.h"

#include <gtest/gtest.h>

#include <limits>

#include "cuda/device_network.h"

namespace wari {
namespace {

TEST(Launch, BlocksHoldEveryThreadAndNoneIsEmpty) {
  const std::int64_t conv = std::int64_t{kChunkRows} * kPitTokens * kTaps * (512 / 8);  // threads of a chunk's largest kernel, of a wide network
  for (const std::int64_t threads : {std::int64_t{1}, std::int64_t{31}, std::int64_t{127}, std::int64_t{128}, std::int64_t{129}, std::int64_t{1000}, std::int64_t{16896}, std::int64_t{1} << 20, conv, std::int64_t{1} << 36}) {
    for (const int size : {64, 128, 256}) {
      const std::int64_t blocks = blocks_for(threads, size);
      EXPECT_GE(blocks * size, threads) << threads;
      EXPECT_LT((blocks - 1) * size, threads) << threads;
      EXPECT_LE(blocks, std::numeric_limits<std::int32_t>::max()) << "more than a grid may have";
    }
  }
  EXPECT_EQ(blocks_for(16896), 132u);  // a block for each multiprocessor of an H200
}

TEST(Launch, PartsOfAnArrayAreAlignedAsTheirSizeAllows) {
  EXPECT_EQ(alignment_of_parts(256 * 256 * 2), 256u);
  EXPECT_EQ(alignment_of_parts(24 * 24 * 2), 128u);  // the second matrix of mlp_2x24 begins at byte 1,152
  EXPECT_EQ(alignment_of_parts(24 * 3 * 24 * 2), 128u);
  EXPECT_EQ(alignment_of_parts(16), 16u);
  EXPECT_EQ(alignment_of_parts(0), 256u);
  for (std::size_t bytes = 2; bytes < 5000; bytes += 2) EXPECT_EQ(bytes % alignment_of_parts(bytes), 0u);
}

}  // namespace
}  // namespace wari
