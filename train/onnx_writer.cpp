#include "train/onnx_writer.h"

namespace wari {

namespace {

using Field = protozero::pbf_tag_type;

// Field numbers and values of onnx.proto.
constexpr Field kModelIrVersion = 1, kModelProducer = 2, kModelGraph = 7, kModelOperators = 8, kModelMetadata = 14;
constexpr Field kOperatorsVersion = 2, kEntryKey = 1, kEntryValue = 2;
constexpr Field kGraphNode = 1, kGraphName = 2, kGraphConstant = 5;
constexpr Field kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOperation = 4, kNodeAttribute = 5;
constexpr Field kAttributeName = 1, kAttributeInt = 3, kAttributeInts = 8, kAttributeType = 20;
constexpr Field kTensorShape = 1, kTensorType = 2, kTensorName = 8, kTensorBytes = 9;
constexpr Field kPortName = 1, kPortType = 2, kPortMeaning = 3, kTypeTensor = 1, kTensorTypeElement = 1, kTensorTypeShape = 2, kShapeDimension = 1;
constexpr Field kDimensionSize = 1, kDimensionName = 2;
constexpr int kIrVersion = 7;  // came with operator set 12 and 13
constexpr int kFloat = 1, kInt32 = 6, kInt64 = 7;
constexpr int kAttributeIsInt = 2, kAttributeIsInts = 7;

// Unpacked: readers must take both forms, and onnx.proto declares this one.
void add_integers(protozero::pbf_writer& writer, Field field, std::span<const std::int64_t> values) {
  for (const std::int64_t value : values) writer.add_int64(field, value);
}

template <class Value>
void add_tensor(protozero::pbf_writer& graph, const std::string& name, int type, std::span<const std::int64_t> shape, std::span<const Value> values) {
  protozero::pbf_writer tensor(graph, kGraphConstant);
  add_integers(tensor, kTensorShape, shape);
  tensor.add_int32(kTensorType, type);
  tensor.add_string(kTensorName, name);
  tensor.add_bytes(kTensorBytes, reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

}  // namespace

OnnxWriter::OnnxWriter(const std::string& graph_name) : model_(bytes_) {
  model_.add_int64(kModelIrVersion, kIrVersion);
  model_.add_string(kModelProducer, "wari");
  {
    protozero::pbf_writer operators(model_, kModelOperators);
    operators.add_int64(kOperatorsVersion, kOnnxOperators);
  }
  graph_ = protozero::pbf_writer(model_, kModelGraph);
  graph_.add_string(kGraphName, graph_name);
}

void OnnxWriter::port(Field field, const std::string& name, const std::string& type, std::span<const std::int64_t> shape, const std::string& meaning) {
  protozero::pbf_writer value(graph_, field);
  value.add_string(kPortName, name);
  value.add_string(kPortMeaning, meaning);
  protozero::pbf_writer type_writer(value, kPortType);
  protozero::pbf_writer tensor(type_writer, kTypeTensor);
  tensor.add_int32(kTensorTypeElement, type == "int32" ? kInt32 : kFloat);
  protozero::pbf_writer dimensions(tensor, kTensorTypeShape);
  protozero::pbf_writer(dimensions, kShapeDimension).add_string(kDimensionName, "batch");
  for (const std::int64_t extent : shape) protozero::pbf_writer(dimensions, kShapeDimension).add_int64(kDimensionSize, extent);
}

std::string OnnxWriter::floats(const std::string& name, std::span<const std::int64_t> shape, std::span<const float> values) {
  add_tensor(graph_, name, kFloat, shape, values);
  return name;
}

std::string OnnxWriter::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
  add_tensor<std::int64_t>(graph_, name, kInt64, shape, values);
  return name;
}

std::string OnnxWriter::node(const std::string& operation, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                             const std::vector<OnnxAttribute>& attributes) {
  protozero::pbf_writer writer(graph_, kGraphNode);
  for (const std::string& input : inputs) writer.add_string(kNodeInput, input);
  for (const std::string& output : outputs) writer.add_string(kNodeOutput, output);
  writer.add_string(kNodeName, outputs.front());
  writer.add_string(kNodeOperation, operation);
  for (const OnnxAttribute& attribute : attributes) {
    protozero::pbf_writer entry(writer, kNodeAttribute);
    entry.add_string(kAttributeName, attribute.name);
    add_integers(entry, attribute.list ? kAttributeInts : kAttributeInt, attribute.values);
    entry.add_enum(kAttributeType, attribute.list ? kAttributeIsInts : kAttributeIsInt);
  }
  return outputs.front();
}

std::string OnnxWriter::finish(const std::map<std::string, std::string>& metadata) {
  graph_.commit();
  for (const auto& [key, value] : metadata) {
    protozero::pbf_writer entry(model_, kModelMetadata);
    entry.add_string(kEntryKey, key);
    entry.add_string(kEntryValue, value);
  }
  return std::move(bytes_);
}

}  // namespace wari
