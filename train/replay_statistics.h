#pragma once

#include <span>

#include "train/replay.h"
#include "train/sample_loss.h"

namespace wari {

SampleStatistics sample_statistics(std::span<const Sample> samples);

}  // namespace wari
