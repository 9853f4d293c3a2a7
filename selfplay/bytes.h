#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/error.h"

// Plain values to and from bytes, little-endian, unpadded: what the binary files are made of.
namespace wari {

static_assert(std::endian::native == std::endian::little, "files are little-endian and written as memory holds them");

class ByteWriter {
 public:
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_bytes(std::string_view bytes) { bytes_.append(bytes); }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reading past the end throws Error with the file's name: a count in a damaged file never leads outside.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  template <class Value>
  Value get() {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    Value value;
    std::memcpy(&value, get_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view get_bytes(std::size_t count) {
    if (count > left()) throw Error("damaged (it ends in the middle of a record): '" + name_ + "': restore the file from a copy or remove it");
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace wari
