#pragma once

#include <cstdint>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <vector>

// ONNX files, written without the ONNX library: a `ModelProto` message of onnx.proto, field by field.
namespace wari {

inline constexpr int kOnnxOperators = 13;  // version of the operator set: the oldest that has all operators in the form used here
inline constexpr std::int64_t kMostOnnxBytes = (std::int64_t{1} << 31) - 1;  // a protobuf message holds no more

struct OnnxAttribute {
  std::string name;
  std::vector<std::int64_t> values;
  bool list = false;  // INTS; otherwise one INT
};

// One graph, whose nodes are added in the order in which they run. Tensors are known by name.
class OnnxWriter {
 public:
  explicit OnnxWriter(const std::string& graph_name);
  OnnxWriter(const OnnxWriter&) = delete;
  OnnxWriter& operator=(const OnnxWriter&) = delete;

  // `type`: "int32" or "float32"; `shape` is that of one row, the batch before it is free.
  void input(const std::string& name, const std::string& type, std::span<const std::int64_t> shape, const std::string& meaning) { port(kInput, name, type, shape, meaning); }
  void output(const std::string& name, const std::string& type, std::span<const std::int64_t> shape, const std::string& meaning) { port(kOutput, name, type, shape, meaning); }
  // Constants; both return the name.
  std::string floats(const std::string& name, std::span<const std::int64_t> shape, std::span<const float> values);
  std::string integers(const std::string& name, const std::vector<std::int64_t>& values);
  // A node named like its first output, which it returns.
  std::string node(const std::string& operation, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs, const std::vector<OnnxAttribute>& attributes = {});
  std::string node(const std::string& operation, const std::vector<std::string>& inputs, const std::string& output, const std::vector<OnnxAttribute>& attributes = {}) {
    return node(operation, inputs, std::vector<std::string>{output}, attributes);
  }

  // The whole file. The last call.
  std::string finish(const std::map<std::string, std::string>& metadata);

 private:
  static constexpr protozero::pbf_tag_type kInput = 11, kOutput = 12;  // fields of GraphProto
  void port(protozero::pbf_tag_type field, const std::string& name, const std::string& type, std::span<const std::int64_t> shape, const std::string& meaning);

  std::string bytes_;
  protozero::pbf_writer model_;
  protozero::pbf_writer graph_;  // open inside model_: the weights are written once
};

}  // namespace wari
