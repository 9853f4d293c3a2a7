#include <cuda_runtime.h>

#include "core/error.h"
#include "cuda/check_cuda.h"
#include "cuda/device.h"
#include "cuda/image_of.h"

namespace wari {

namespace {

// Compiled for the same devices as all others, and small.
__global__ void probe_kernel() {}

std::string version_text(int version) { return version == 0 ? "none" : std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace

bool built_with_cuda() { return true; }

CudaVersions cuda_versions() {
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) runtime = 0;
  cudaGetLastError();
  return {version_text(driver), version_text(runtime)};
}

std::size_t free_device_memory() {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

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

std::string why_no_device() {
  const std::vector<Device> found = devices();
  if (!found.empty()) return why_no_kernel(found.front(), image_of("probe", probe_kernel).error);
  int count = 0;
  const cudaError_t reason = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return std::string("no CUDA device (") + cudaGetErrorString(reason) + ")";
}

void require_device() {
  const std::string why = why_no_device();
  if (!why.empty()) throw Error(why + ": device 'cuda': use the CPU (--device cpu, --set device=cpu), or check the driver with nvidia-smi");
}

}  // namespace wari
