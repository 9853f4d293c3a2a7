#include "cuda/device.h"

// What needs neither CUDA nor a stub.
namespace wari {

std::string why_no_kernel(const Device& device, const std::string& error) {
  if (error.empty()) return "";
  return "this build's kernels do not run on the GPU '" + device.name + "' of compute capability " + std::to_string(device.capability_major) + "." + std::to_string(device.capability_minor) +
         " (" + error + "; where their code is missing, build with -DCMAKE_CUDA_ARCHITECTURES=native)";
}

}  // namespace wari
