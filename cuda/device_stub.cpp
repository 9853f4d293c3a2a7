#include "core/error.h"
#include "cuda/device.h"

// Takes the place of device.cu in a build without CUDA.
namespace wari {

bool built_with_cuda() { return false; }

std::vector<Device> devices() { return {}; }

void require_device() { throw Error("this build has no CUDA side: device 'cuda': use --set device=cpu, or build where nvcc is found"); }

}  // namespace wari
