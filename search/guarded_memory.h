#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "search/lane_array.h"

namespace wari {

// What GuardedMemory works on: the memory of a GPU, or what stands in for one.
struct RawMemory {
  void* (*allocate)(std::size_t bytes) = nullptr;                           // at multiples of 256 bytes
  void (*free)(void* memory) noexcept = nullptr;
  void (*fill)(void* memory, int byte, std::size_t bytes) = nullptr;
  void (*read)(void* to, const void* memory, std::size_t bytes) = nullptr;  // into the host's memory
};

// Memory for finding a fault: every buffer lies between two bands of a pattern, so that a write beside it shows, and one that is to be written before it is read begins as all one bits
// (not a number, or an index far outside), so that a read too early shows.
class GuardedMemory {
 public:
  explicit GuardedMemory(const RawMemory& raw) : raw_(raw) {}

  void* allocate(std::size_t bytes, const char* name, Contents contents);
  // False: not of this memory. A damaged band is remembered for the next check().
  bool free(void* memory) noexcept;
  // Throws Error that names the damaged buffer, be it freed already; once for each damage. The device must be idle.
  void check();
  std::size_t bytes() const;  // of all buffers, without the bands

 private:
  struct Buffer {
    std::string name;
    std::size_t bytes = 0;
  };

  void fill_bands(char* memory, const Buffer& buffer) const;
  std::string damage_of(const char* memory, const Buffer& buffer) const;

  RawMemory raw_;
  mutable std::mutex mutex_;
  std::map<void*, Buffer> buffers_;
  std::string damage_;  // found while freeing
};

}  // namespace wari
