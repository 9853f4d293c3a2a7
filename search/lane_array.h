#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace wari {

// Anonymous memory, zeroed, in huge pages where it is large: walking thousands of trees otherwise misses the address cache at every step. Pages are taken when first touched.
class PageBlock {
 public:
  PageBlock() = default;
  explicit PageBlock(std::size_t bytes);
  ~PageBlock();
  PageBlock(PageBlock&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PageBlock& operator=(PageBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// What an array holds before it is written. `unset`: nothing that may be read; zero here as well, but a GPU's memory may hold anything (GuardedMemory).
enum class Contents { zero, unset };

// An array of plain structs in such memory; elements start as all zero bits. read() and write() are what an array in a GPU's memory has too: there they copy. The name is for messages there.
template <class T>
class LaneArray {
 public:
  LaneArray() = default;
  explicit LaneArray(std::size_t count, const char* /* name */ = "", Contents = Contents::zero) : block_(count * sizeof(T)), count_(count) {}
  T* data() const { return static_cast<T*>(block_.data()); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return count_; }
  std::span<T> read() const { return {data(), count_}; }
  std::span<T> read(std::size_t first, std::size_t count) const { return {data() + first, count}; }
  // values: all of it, perhaps what read() gave.
  void write(std::span<const T> values) const {
    if (values.data() != data()) std::copy(values.begin(), values.end(), data());
  }

 private:
  PageBlock block_;
  std::size_t count_ = 0;
};

}  // namespace wari
