#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuda/device_memory.h"

namespace wari {

// An array of plain structs in the memory of a GPU: what LaneArray is in the host's. Elements start as all zero bits, those of Contents::unset as anything.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count, const char* name = "a small array", Contents contents = Contents::zero)
      : data_(count == 0 ? nullptr : static_cast<T*>(allocate_on_device(count * sizeof(T), name, contents))), count_(count) {}
  ~DeviceArray() { free_on_device(data_); }
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* data() const { return data_; }  // of the device: not to be followed here
  std::size_t size() const { return count_; }
  std::vector<T> read() const { return read(0, count_); }
  std::vector<T> read(std::size_t first, std::size_t count) const {
    assert(first + count <= count_);
    std::vector<T> values(count);
    if (count > 0) copy_to_host(values.data(), data_ + first, count * sizeof(T));
    return values;
  }
  void write(std::span<const T> values) const {
    assert(values.size() <= count_);
    if (!values.empty()) copy_to_device(data_, values.data(), values.size_bytes());
  }
  // Of an array of the same size.
  void copy_from(const DeviceArray& other) const {
    assert(other.count_ == count_);
    if (count_ > 0) copy_on_device(data_, other.data_, count_ * sizeof(T));
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace wari
