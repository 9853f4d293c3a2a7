#include "cuda/device_memory.h"

#include "cuda/check_cuda.h"
#include "cuda/switches.h"
#include "search/guarded_memory.h"

namespace wari {

namespace {

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const std::string what = "taking " + std::to_string((bytes >> 20) + 1) + " MiB of its memory: fewer lanes or simulations need less";
  check_cuda(cudaMalloc(&memory, bytes), what.c_str());
  return memory;
}

void fill(void* memory, int byte, std::size_t bytes) {
  check_cuda(cudaMemset(memory, byte, bytes), "filling memory");
  check_cuda(cudaStreamSynchronize(nullptr), "filling memory");
}

void release(void* memory) noexcept { cudaFree(memory); }

// Of the process, as the device's memory is: whoever frees a buffer knows its address alone.
GuardedMemory& guarded_memory() {
  static GuardedMemory memory({allocate, release, fill, copy_to_host});
  return memory;
}

}  // namespace

void* allocate_on_device(std::size_t bytes, const char* name, Contents contents) {
  if (cuda_switches().guard) return guarded_memory().allocate(bytes, name, contents);
  void* const memory = allocate(bytes);
  if (contents == Contents::zero) fill(memory, 0, bytes);  // others are left as they are: a checker of memory sees who reads them too early
  return memory;
}

void free_on_device(void* memory) noexcept {
  if (memory != nullptr && !guarded_memory().free(memory)) release(memory);
}

void check_device_memory() { guarded_memory().check(); }

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
  check_cuda(cudaStreamSynchronize(nullptr), "copying to the device");  // a small copy from pageable memory returns when it is staged
}

void copy_to_host(void* to, const void* from, std::size_t bytes) { check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device"); }

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice), "copying on the device");
  check_cuda(cudaStreamSynchronize(nullptr), "copying on the device");  // such a copy returns at once
}

}  // namespace wari
