#pragma once

#include <string>

#include "cuda/kernel_image.h"

// For .cu files.
namespace wari {

// What the device makes of a kernel.
template <class Kernel>
inline KernelImage image_of(const std::string& name, Kernel* kernel) {
  KernelImage image{name, 0, 0, ""};
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  if (status != cudaSuccess) {
    cudaGetLastError();
    image.error = cudaGetErrorString(status);
    return image;
  }
  image.registers = attributes.numRegs;
  image.local_bytes = attributes.localSizeBytes;
  return image;
}

}  // namespace wari
