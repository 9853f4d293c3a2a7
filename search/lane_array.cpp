#include "search/lane_array.h"

#include <sys/mman.h>

#include "core/error.h"

namespace wari {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PageBlock::PageBlock(std::size_t bytes) {
  if (bytes == 0) return;
  const bool large = bytes >= kHugePageBytes;
  bytes_ = rounded_up(bytes, large ? kHugePageBytes : 4096);
  void* const data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    bytes_ = 0;
    throw system_error("out of memory for the trees of the search: " + std::to_string(bytes >> 20) + " MiB: use fewer lanes or simulations");
  }
  data_ = data;
  if (large) madvise(data_, bytes_, MADV_HUGEPAGE);
}

PageBlock::~PageBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace wari
