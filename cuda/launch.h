#pragma once

#include <cstddef>
#include <cstdint>

// The arithmetic of launches, apart from CUDA so that it is tested without a device.
namespace wari {

inline constexpr int kThreadsOfBlock = 128;

// Blocks for a kernel of so many threads.
constexpr unsigned blocks_for(std::int64_t threads, int threads_of_block = kThreadsOfBlock) { return static_cast<unsigned>((threads + threads_of_block - 1) / threads_of_block); }

// The alignment of every one of several matrices of so many bytes that lie one behind the other; an array of a device begins at a multiple of 256.
constexpr std::uint32_t alignment_of_parts(std::size_t bytes) {
  constexpr std::size_t kArray = 256;
  const std::size_t power = bytes & (~bytes + 1);  // the largest that divides it
  return static_cast<std::uint32_t>(power == 0 || power > kArray ? kArray : power);
}

}  // namespace wari
