#pragma once

#include <span>

#include "train/replay.h"

namespace wari {

bool has_policy_target(const Sample& sample);
SampleStatistics sample_statistics(std::span<const Sample> samples);

}  // namespace wari
