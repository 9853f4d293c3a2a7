#pragma once

#include <string>
#include <vector>

#include "train/training_settings.h"

namespace wari {

// What `wari train` will take, part by part. Of trees, lanes, log and networks the sizes of their arrays; of LibTorch's training an upper estimate.
struct MemoryNeed {
  struct Part {
    std::string name;
    double bytes = 0;
  };
  std::vector<Part> parts;

  double total() const;
  std::string text() const;  // "trees 136 MiB, lanes 80 MiB, ..."
};

MemoryNeed host_memory_need(const TrainingSettings& settings, bool on_device);
// `window`: with a copy of the replay window.
MemoryNeed device_memory_need(const TrainingSettings& settings, bool window = true);
// Whether the copy fits beside all else.
bool window_fits_on_device(const TrainingSettings& settings, double free_bytes);

}  // namespace wari
