#include "search/guarded_memory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"

namespace wari {
namespace {

constexpr std::size_t kBandBytes = 256;
constexpr int kBandByte = 0xa5;
constexpr int kUnsetByte = 0xff;

}  // namespace

void* GuardedMemory::allocate(std::size_t bytes, const char* name, Contents contents) {
  const std::lock_guard lock(mutex_);
  auto* const whole = static_cast<char*>(raw_.allocate(bytes + 2 * kBandBytes));
  char* const memory = whole + kBandBytes;
  raw_.fill(memory, contents == Contents::zero ? 0 : kUnsetByte, bytes);
  const Buffer& buffer = buffers_[memory] = {name, bytes};
  fill_bands(memory, buffer);
  return memory;
}

void GuardedMemory::fill_bands(char* memory, const Buffer& buffer) const {
  raw_.fill(memory - kBandBytes, kBandByte, kBandBytes);
  raw_.fill(memory + buffer.bytes, kBandByte, kBandBytes);
}

bool GuardedMemory::free(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(memory);
  if (found == buffers_.end()) return false;
  try {
    if (damage_.empty()) damage_ = damage_of(static_cast<char*>(memory), found->second);
  } catch (...) {  // a device that cannot be read any more has told so elsewhere
  }
  raw_.free(static_cast<char*>(memory) - kBandBytes);
  buffers_.erase(found);
  return true;
}

void GuardedMemory::check() {
  const std::lock_guard lock(mutex_);
  std::string damage = std::exchange(damage_, "");
  for (const auto& [memory, buffer] : buffers_) {
    const std::string found = damage_of(static_cast<char*>(memory), buffer);
    if (found.empty()) continue;
    fill_bands(static_cast<char*>(memory), buffer);  // told once
    if (damage.empty()) damage = found;
  }
  if (!damage.empty()) throw system_error(damage);
}

std::size_t GuardedMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [memory, buffer] : buffers_) sum += buffer.bytes;
  return sum;
}

std::string GuardedMemory::damage_of(const char* memory, const Buffer& buffer) const {
  std::array<unsigned char, kBandBytes> band;
  for (const bool before : {true, false}) {
    raw_.read(band.data(), before ? memory - kBandBytes : memory + buffer.bytes, kBandBytes);
    const auto first = std::find_if(band.begin(), band.end(), [](unsigned char byte) { return byte != kBandByte; });
    if (first == band.end()) continue;
    const auto place = static_cast<std::size_t>(first - band.begin());
    return "something was written " + std::to_string(before ? kBandBytes - place : place + 1) + " bytes " + (before ? "before" : "past the end of") + " a buffer of the GPU: '" + buffer.name + "', " +
           std::to_string(buffer.bytes) + " bytes: report this, with the switch sync beside guard to see after which kernel";
  }
  return "";
}

}  // namespace wari
