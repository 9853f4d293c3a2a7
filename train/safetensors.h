#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reader and writer of the safetensors format (8 bytes length of the header, a JSON header, raw little-endian data), which any language reads.
namespace wari {

enum class TensorType : std::uint8_t { float32, int64 };

struct Tensor {
  TensorType type = TensorType::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;            // row-major

  static Tensor floats(std::vector<std::int64_t> shape, std::span<const float> values);
  static Tensor integers(std::span<const std::int64_t> values);
  std::span<const float> as_floats() const;           // throws Error if of another type
  std::span<const std::int64_t> as_integers() const;
};

struct SafeTensors {
  std::map<std::string, Tensor> tensors;             // in order of names: equal contents give equal bytes
  std::map<std::string, std::string> metadata;

  std::vector<std::byte> bytes() const;
  // Throws Error naming `name` and what is wrong: truncated, not of this format (web page, zip, pickle), overlapping or out-of-range tensors.
  static SafeTensors parse(std::span<const std::byte> bytes, const std::string& name);
  static SafeTensors read(const std::filesystem::path& file);
};

}  // namespace wari
