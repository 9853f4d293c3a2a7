#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"
#include "train/safetensors.h"

namespace wari {
namespace {

SafeTensors example() {
  SafeTensors file;
  const float values[] = {1, -2, 3.5f, 4, 0, -0.0f};
  const std::int64_t counters[] = {7, -1};
  file.tensors["b.weight"] = Tensor::floats({2, 3}, values);
  file.tensors["a.bias"] = Tensor::floats({2}, std::span(values).first(2));
  file.tensors["counters"] = Tensor::integers(counters);
  file.metadata["made_by"] = "wari";
  return file;
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    SafeTensors::parse(bytes, "some/file");
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("some/file"), std::string::npos);
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::string& text) { return refusal(std::as_bytes(std::span(text.data(), text.size()))); }

// A file with this header and `data` bytes of zeros.
std::string with_header(const std::string& header, std::size_t data) {
  std::string text(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(text.data(), &length, 8);
  return text + header + std::string(data, '\0');
}

TEST(SafeTensors, ReadsBackWhatItWroteBitForBit) {
  const SafeTensors file = example();
  const SafeTensors again = SafeTensors::parse(file.bytes(), "f");
  ASSERT_EQ(again.tensors.size(), 3u);
  EXPECT_EQ(again.metadata.at("made_by"), "wari");
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(again.tensors.at(name).bytes, tensor.bytes) << name;
    EXPECT_EQ(again.tensors.at(name).shape, tensor.shape) << name;
  }
  EXPECT_EQ(again.tensors.at("counters").as_integers()[1], -1);
  EXPECT_EQ(again.bytes(), file.bytes());
  EXPECT_THROW(again.tensors.at("counters").as_floats(), Error);
}

TEST(SafeTensors, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = example().bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(refusal(std::span(bytes).first(length)), "accepted") << length;
  }
  EXPECT_NE(refusal(std::span(bytes).first(bytes.size() - 3)).find("truncated"), std::string::npos);
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer).find("follow"), std::string::npos);
}

TEST(SafeTensors, OtherFilesAreNamed) {
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("<!DOCTYPE html><html>not found</html>").find("web page"), std::string::npos);
  EXPECT_NE(refusal("PK\x03\x04 and so on and on").find("zip"), std::string::npos);
  EXPECT_NE(refusal("version https://git-lfs.github.com/spec/v1\noid").find("LFS"), std::string::npos);
  EXPECT_NE(refusal(std::string(1000, 'x')).find("does not begin"), std::string::npos);
}

TEST(SafeTensors, ContradictoryHeadersAreRefused) {
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12)).find("overlaps"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)).find("does not fit its shape"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12)).find("gap"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0)).find("bad shape"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8)).find("bad shape"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})", 4)).find("BF16"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4)).find("twice"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":17})", 0)).find("lacks"), std::string::npos);
  EXPECT_NE(refusal(with_header(R"({"a":)", 0)).find("JSON"), std::string::npos);
}

}  // namespace
}  // namespace wari
