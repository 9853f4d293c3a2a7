#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/kernel_image.h"
#include "search/selfplay_engine.h"

// Self-play with positions and trees in the memory of a GPU. The same games as on the CPU wherever the evaluator answers the same.
namespace wari {

// `evaluator` must be one of a device. Throws Error without a GPU.
std::unique_ptr<SelfplayEngine> make_cuda_selfplay_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator);

// All that searches launch, in self-play and for given positions. Empty without a GPU.
std::vector<KernelImage> search_kernel_images();

// The stand-ins for a network, answering bit by bit as those of the CPU.
std::unique_ptr<Evaluator> make_device_hash_evaluator(std::uint64_t seed = 0);
std::unique_ptr<Evaluator> make_device_uniform_evaluator();

}  // namespace wari
