#include <cuda_runtime.h>

#include "core/error.h"
#include "cuda/device.h"

namespace wari {

bool built_with_cuda() { return true; }

std::vector<Device> devices() {
  std::vector<Device> found;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device: not an error, and not to be reported by the next call
    return found;
  }
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) continue;
    found.push_back({index, properties.name, properties.major, properties.minor, properties.multiProcessorCount, properties.totalGlobalMem});
  }
  return found;
}

void require_device() {
  if (!devices().empty()) return;
  int count = 0;
  const cudaError_t reason = cudaGetDeviceCount(&count);
  cudaGetLastError();
  throw Error(std::string("no CUDA device (") + cudaGetErrorString(reason) + "): device 'cuda': use --set device=cpu, or check the driver with nvidia-smi");
}

}  // namespace wari
