#pragma once

#include <cstddef>

#include "search/lane_array.h"

// Memory of the GPU in use, as bytes. Only in builds with CUDA; every failure throws Error.
namespace wari {

// Zeroed, or of Contents::unset as it comes; with the switch `guard` in GuardedMemory, for which `name` is.
void* allocate_on_device(std::size_t bytes, const char* name, Contents contents);
void free_on_device(void* memory) noexcept;
// Throws Error where something was written beside a guarded buffer. Streams of ours must be idle.
void check_device_memory();
// All wait until the bytes have arrived, and for nothing else: streams of ours must be idle where they use these bytes.
void copy_to_device(void* to, const void* from, std::size_t bytes);
void copy_to_host(void* to, const void* from, std::size_t bytes);
void copy_on_device(void* to, const void* from, std::size_t bytes);

}  // namespace wari
