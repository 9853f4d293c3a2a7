#pragma once

#include <cstddef>

// Memory of the GPU in use, as bytes. Only in builds with CUDA; every failure throws Error.
namespace wari {

void* allocate_on_device(std::size_t bytes);  // zeroed
void free_on_device(void* memory) noexcept;
// Both wait until the bytes have arrived, and for nothing else: streams of ours must be idle where they use these bytes.
void copy_to_device(void* to, const void* from, std::size_t bytes);
void copy_to_host(void* to, const void* from, std::size_t bytes);

}  // namespace wari
