#include "core/error.h"
#include "cuda/device.h"

// Takes the place of device.cu in a build without CUDA.
namespace wari {

bool built_with_cuda() { return false; }

CudaVersions cuda_versions() { return {"none", "none"}; }

std::size_t free_device_memory() {
  require_device();
  return 0;
}

std::vector<Device> devices() { return {}; }

std::string why_no_device() { return "this build has no CUDA side"; }

void require_device() { throw Error("this build has no CUDA side: device 'cuda': use the CPU (--device cpu, --set device=cpu), or build where nvcc is found"); }

}  // namespace wari
