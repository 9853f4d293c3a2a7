#include "cuda/device_memory.h"

#include "cuda/check_cuda.h"

namespace wari {

void* allocate_on_device(std::size_t bytes) {
  void* memory = nullptr;
  const std::string what = "taking " + std::to_string((bytes >> 20) + 1) + " MiB of its memory: fewer lanes or simulations need less";
  check_cuda(cudaMalloc(&memory, bytes), what.c_str());
  check_cuda(cudaMemset(memory, 0, bytes), "clearing memory");
  check_cuda(cudaStreamSynchronize(nullptr), "clearing memory");
  return memory;
}

void free_on_device(void* memory) noexcept {
  if (memory != nullptr) cudaFree(memory);
}

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
  check_cuda(cudaStreamSynchronize(nullptr), "copying to the device");  // a small copy from pageable memory returns when it is staged
}

void copy_to_host(void* to, const void* from, std::size_t bytes) { check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device"); }

}  // namespace wari
