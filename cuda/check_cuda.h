#pragma once

#include <source_location>
#include <string>

#include "core/error.h"

// For .cu files: nvcc itself brings the declarations of the runtime.
namespace wari {

// Throws Error for a call that failed: what was tried, why, and where in the source.
inline void check_cuda(cudaError_t status, const char* what, std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported now, not by the next call
  std::string file = where.file_name();
  file = file.substr(file.find_last_of('/') + 1);
  throw system_error(std::string("CUDA failed (") + cudaGetErrorString(status) + "): " + what + " (" + file + ":" + std::to_string(where.line()) +
                     "): check the device with nvidia-smi, or use --set device=cpu");
}

}  // namespace wari
