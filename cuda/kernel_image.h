#pragma once

#include <cstddef>
#include <string>

namespace wari {

// A kernel of the search as the device would run it.
struct KernelImage {
  std::string name;
  int registers = 0;
  std::size_t local_bytes = 0;  // of a thread, in slow memory: 0 for a good kernel
  std::string error;            // why it cannot run there (no image for this device); empty if it can
};

}  // namespace wari
