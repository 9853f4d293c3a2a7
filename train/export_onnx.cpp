#include "train/export_onnx.h"

#include "core/error.h"
#include "train/onnx_writer.h"

namespace wari {

namespace {

constexpr std::int64_t kRoomForTheGraph = 1 << 20;  // bytes for nodes, names and metadata

// Adds the network's operations to a file; every function returns the name of its result.
class NetworkGraph {
 public:
  NetworkGraph(const ExportedModel& model, OnnxWriter& onnx) : model_(model), onnx_(onnx), width_(model.layout.settings().width) {}

  void add() {
    for (const ModelPort& port : model_inputs()) onnx_.input(port.name, port.type, port.shape, port.meaning);
    table_ = constant("embedding.weight");
    const std::string features = model_.layout.settings().kind == TrunkKind::mlp ? mlp_trunk() : conv_trunk();
    for (const ModelPort& port : model_outputs()) add_head(port, features);
  }

 private:
  std::string constant(const std::string& name) { return onnx_.floats(name, model_.layout.find(name).shape, model_.tensor(name)); }
  std::string relu(const std::string& x, const std::string& name) { return onnx_.node("Relu", {x}, name); }
  std::string sum(const std::string& a, const std::string& b, const std::string& name) { return onnx_.node("Add", {a, b}, name); }
  std::string rows_of(const std::string& tokens, const std::string& name) { return onnx_.node("Gather", {table_, tokens}, name); }

  // x weight^T + bias
  std::string affine(const std::string& x, const std::string& tensors, const std::string& name) {
    return onnx_.node("Gemm", {x, constant(tensors + ".weight"), constant(tensors + ".bias")}, name, {{"transB", {1}}});
  }

  std::string mlp_trunk() {
    const std::string rows = rows_of("tokens", "rows");  // [batch, kTokens, width]
    const std::string total = onnx_.node("ReduceSum", {rows, onnx_.integers("places", {1})}, "rows.sum", {{"keepdims", {0}}});
    std::string x = relu(sum(total, constant("embedding.bias"), "embedding.sum"), "embedding.relu");
    for (int block = 0; block < model_.layout.settings().blocks; ++block) {
      const std::string name = "blocks." + std::to_string(block);
      x = relu(sum(x, affine(x, name, name + ".affine"), name + ".sum"), name + ".relu");
    }
    return x;
  }

  // [batch, 12, width]: each pit's own rows and those that all pits share
  std::string pits_of_first_layer() {
    onnx_.node("Split", {"tokens", onnx_.integers("parts", {kPitTokens, kStoreTokens + 1, kCaptureTokens, kRuleTokens})},
               std::vector<std::string>{"tokens.pits", "tokens.stores", "tokens.captures", "tokens.rules"}, {{"axis", {1}}});
    const std::string own = sum(rows_of("tokens.pits", "rows.pits"), rows_of("tokens.captures", "rows.captures"), "rows.own");
    const std::string common = rows_of(onnx_.node("Concat", {"tokens.stores", "tokens.rules"}, "tokens.common", {{"axis", {1}}}), "rows.common");
    const std::string shared = onnx_.node("ReduceSum", {common, onnx_.integers("places", {1})}, "rows.shared", {{"keepdims", {1}}});
    return relu(sum(sum(own, shared, "rows.sum"), constant("embedding.bias"), "embedding.sum"), "embedding.relu");
  }

  // Circular: the last pit before the first, the first behind the last. [batch, width, 12] to the same.
  std::string convolution(const std::string& x, const std::string& tensors) {
    const std::string last = onnx_.node("Slice", {x, "ring.11", "ring.12", "ring.axis"}, tensors + ".last");
    const std::string first = onnx_.node("Slice", {x, "ring.0", "ring.1", "ring.axis"}, tensors + ".first");
    const std::string ring = onnx_.node("Concat", {last, x, first}, tensors + ".ring", {{"axis", {2}}});
    return onnx_.node("Conv", {ring, channels_before_taps(tensors + ".weight"), constant(tensors + ".bias")}, tensors + ".conv", {{"kernel_shape", {3}, true}});
  }

  // [out, 3, in] as [out, in, 3]
  std::string channels_before_taps(const std::string& name) {
    const std::span<const float> weight = model_.tensor(name);
    std::vector<float> turned(weight.size());
    const auto width = static_cast<std::size_t>(width_);
    for (std::size_t out = 0; out < width; ++out) {
      for (std::size_t tap = 0; tap < 3; ++tap) {
        for (std::size_t in = 0; in < width; ++in) turned[(out * width + in) * 3 + tap] = weight[(out * 3 + tap) * width + in];
      }
    }
    return onnx_.floats(name, std::vector<std::int64_t>{width_, width_, 3}, turned);
  }

  std::string conv_trunk() {
    for (const std::int64_t pit : {0, 1, 11, 12}) onnx_.integers("ring." + std::to_string(pit), {pit});
    onnx_.integers("ring.axis", {2});
    const OnnxAttribute turn{"perm", {0, 2, 1}, true};
    std::string x = onnx_.node("Transpose", {pits_of_first_layer()}, "embedding.channels", {turn});
    for (int block = 0; block < model_.layout.settings().blocks; ++block) {
      const std::string name = "blocks." + std::to_string(block);
      const std::string y = relu(convolution(x, name + ".first"), name + ".first.relu");
      x = relu(sum(x, convolution(y, name + ".second"), name + ".sum"), name + ".relu");
    }
    return onnx_.node("Flatten", {onnx_.node("Transpose", {x}, "trunk.pits", {turn})}, "trunk", {{"axis", {1}}});
  }

  void add_head(const ModelPort& port, const std::string& features) {
    const bool single = port.shape.empty();
    const std::string head = affine(features, port.name, single ? port.name + ".affine" : port.name);
    if (single) onnx_.node("Squeeze", {head, onnx_.integers(port.name + ".axis", {1})}, port.name);
    onnx_.output(port.name, port.type, port.shape, port.meaning);
  }

  const ExportedModel& model_;
  OnnxWriter& onnx_;
  std::int64_t width_;
  std::string table_;
};

}  // namespace

std::string onnx_file(const ExportedModel& model) {
  const std::string name = network_name(model.layout.settings());
  const std::int64_t bytes = model.layout.parameters() * static_cast<std::int64_t>(sizeof(float));
  if (bytes > kMostOnnxBytes - kRoomForTheGraph) {
    throw Error("too large for an ONNX file: " + name + ": its weights take " + std::to_string(bytes) + " bytes, the format ends at " + std::to_string(kMostOnnxBytes) + ": take --format safetensors");
  }
  OnnxWriter onnx(name);
  NetworkGraph(model, onnx).add();
  return onnx.finish(metadata_texts(model));
}

}  // namespace wari
