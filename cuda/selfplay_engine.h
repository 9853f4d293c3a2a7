#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/selfplay_engine.h"

// Self-play with positions and trees in the memory of a GPU. The same games as on the CPU wherever the evaluator answers the same.
namespace wari {

// `evaluator` must be one of a device. Throws Error without a GPU.
std::unique_ptr<SelfplayEngine> make_cuda_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator);

// A kernel of the search as the device would run it.
struct KernelImage {
  std::string name;
  int registers = 0;
  std::size_t local_bytes = 0;  // of a thread, in slow memory: 0 for a good kernel
  std::string error;            // why it cannot run there (no image for this device); empty if it can
};
// All that self-play launches. Empty without a GPU.
std::vector<KernelImage> search_kernel_images();

// The stand-ins for a network, answering bit by bit as those of the CPU.
std::unique_ptr<Evaluator> make_device_hash_evaluator(std::uint64_t seed = 0);
std::unique_ptr<Evaluator> make_device_uniform_evaluator();

}  // namespace wari
