#pragma once

#include "core/portability.h"
#include "search/move_log.h"
#include "selfplay/sample.h"
#include "train/network.h"

// The targets of a sample as numbers: for every way of learning, on the CPU and in a kernel.
namespace wari {

WARI_HD inline bool has_policy_target(const Sample& sample) {
  std::uint32_t any = 0;
  for (int action = 0; action < kActions; ++action) any |= sample.policy[action];
  return any != 0;
}

// `root_value_share`: of TrainerSettings.
WARI_HD inline void value_target(float root_value_share, const Sample& sample, float* target /* [3]: win, draw, loss */) {
  // Positions that were not searched have no value of the search.
  const bool searched = (sample.flags & (kFlagRandom | kFlagForced)) == 0;
  const float share = searched ? root_value_share : 0.0f;
  const float value = static_cast<float>(sample.root_value) / 32767.0f;
  target[0] = (sample.outcome == 0 ? 1.0f - share : 0.0f) + share * 0.5f * (1 + value);
  target[1] = sample.outcome == 1 ? 1.0f - share : 0.0f;
  target[2] = (sample.outcome == 2 ? 1.0f - share : 0.0f) + share * 0.5f * (1 - value);
}

// 0..kMarginClasses - 1
WARI_HD inline int margin_class(const Sample& sample) {
  const int half_seeds = sample.margin_half_seeds;
  int seeds = half_seeds / 2;  // towards 0
  if (half_seeds % 2 != 0 && seeds % 2 != 0) seeds += half_seeds > 0 ? 1 : -1;
  return (seeds < -kMaxSeeds ? -kMaxSeeds : seeds > kMaxSeeds ? kMaxSeeds : seeds) + kMaxSeeds;
}

WARI_HD inline float margin_target(const Sample& sample, int total_seeds) { return 0.5f * static_cast<float>(sample.margin_half_seeds) / static_cast<float>(total_seeds); }

WARI_HD inline float plies_left_target(const Sample& sample) { return static_cast<float>(sample.plies_left) / kPliesLeftUnit; }

}  // namespace wari
