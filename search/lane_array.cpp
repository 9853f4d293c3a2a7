#include "search/lane_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <string>

#include "core/error.h"

namespace wari {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PageBlock::PageBlock(std::size_t bytes) {
  if (bytes == 0) return;
  const bool large = bytes >= kHugePageBytes / 2;
  const std::size_t wanted = rounded_up(bytes, large ? kHugePageBytes : 4096);
  // A huge page starts at a multiple of its size: one more is mapped, and what stands over given back.
  const std::size_t mapped = wanted + (large ? kHugePageBytes : 0);
  void* const data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    throw system_error("out of memory for the trees of the search: " + std::to_string(bytes >> 20) + " MiB: use fewer lanes or simulations");
  }
  data_ = data;
  bytes_ = wanted;
  if (!large) return;
  auto* const begin = static_cast<std::byte*>(data);
  const std::size_t before = (kHugePageBytes - reinterpret_cast<std::uintptr_t>(data) % kHugePageBytes) % kHugePageBytes;
  if (before > 0) munmap(begin, before);
  if (before < kHugePageBytes) munmap(begin + before + wanted, kHugePageBytes - before);
  data_ = begin + before;
  madvise(data_, bytes_, MADV_HUGEPAGE);
}

PageBlock::~PageBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace wari
