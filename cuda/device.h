#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The GPUs of this machine. Everything here works in a build without CUDA and on a machine without a GPU, and then finds none.
namespace wari {

struct Device {
  int index = 0;
  std::string name;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

bool built_with_cuda();
// Of the driver and of the runtime that this build brings, as "13.0"; "none" where there is none.
struct CudaVersions {
  std::string driver, runtime;
};
CudaVersions cuda_versions();
// Memory of the device in use that nobody has taken. Throws Error without one.
std::size_t free_device_memory();
// Empty without a driver or a device; never throws.
std::vector<Device> devices();
// Whether this build lacks CUDA or code for the GPU, or this machine a usable GPU, in words; "" where there is one.
std::string why_no_device();
// The same of a device on which a kernel cannot run, by what CUDA says to it; "" where it says nothing.
std::string why_no_kernel(const Device& device, const std::string& error);
// Throws Error that says so.
void require_device();

}  // namespace wari
