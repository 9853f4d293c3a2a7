#include "train/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {

namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // of the format itself

std::size_t element_bytes(TensorType type) { return type == TensorType::float32 ? 4 : 8; }
const char* type_name(TensorType type) { return type == TensorType::float32 ? "F32" : "I64"; }

template <class Value>
Tensor tensor_of(TensorType type, std::vector<std::int64_t> shape, std::span<const Value> values) {
  Tensor tensor{type, std::move(shape), std::vector<std::byte>(values.size_bytes())};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
  return tensor;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error("not a readable safetensors file: " + name + ": " + why);
}

// What a user who picked the wrong file most likely picked.
std::string guess(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 512));
  if (text.empty()) return "the file is empty";
  if (text.starts_with("PK")) return "this is a zip archive, perhaps a PyTorch file";
  if (text.starts_with("\x80")) return "this is a Python pickle, perhaps an old PyTorch file";
  const std::size_t start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (start != std::string_view::npos && text[start] == '<') return "this is a web page or XML, perhaps a download that failed";
  if (text.starts_with("version https://git-lfs")) return "this is a Git LFS pointer; fetch the file itself";
  return "";
}

std::uint64_t header_length(std::span<const std::byte> bytes, const std::string& name) {
  const std::string other = guess(bytes);
  std::uint64_t length = 0;
  if (bytes.size() >= kLengthBytes) std::memcpy(&length, bytes.data(), kLengthBytes);
  const bool plausible = bytes.size() > kLengthBytes && length >= 2 && length <= kMaxHeaderBytes && bytes[kLengthBytes] == std::byte{'{'};
  if (!plausible) refuse(name, other.empty() ? "it does not begin with a header of this format" : other);
  if (length > bytes.size() - kLengthBytes) refuse(name, "truncated within its header");
  return length;
}

json parse_header(std::string_view text, const std::string& name) {
  std::set<std::string> keys;
  std::string twice;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1 && !keys.insert(value.get<std::string>()).second) twice = value.get<std::string>();
    return true;
  };
  json header = json::parse(text.begin(), text.end(), watch, false);
  if (header.is_discarded() || !header.is_object()) refuse(name, "its header is not valid JSON");
  if (!twice.empty()) refuse(name, "tensor '" + twice + "' is listed twice");
  return header;
}

struct Extent {
  std::uint64_t begin, end;
  std::string name;
};

Extent read_entry(const std::string& key, const json& entry, Tensor& tensor, const std::string& name) {
  const bool complete = entry.is_object() && entry.contains("dtype") && entry["dtype"].is_string() && entry.contains("shape") && entry["shape"].is_array() &&
                        entry.contains("data_offsets") && entry["data_offsets"].is_array() && entry["data_offsets"].size() == 2 &&
                        entry["data_offsets"][0].is_number_unsigned() && entry["data_offsets"][1].is_number_unsigned();
  if (!complete) refuse(name, "the entry of tensor '" + key + "' lacks dtype, shape or data_offsets");
  const std::string type = entry["dtype"];
  if (type != "F32" && type != "I64") refuse(name, "tensor '" + key + "' is of type " + type + "; F32 and I64 are read");
  tensor.type = type == "F32" ? TensorType::float32 : TensorType::int64;
  std::uint64_t wanted = element_bytes(tensor.type);
  for (const json& extent : entry["shape"]) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > (1ULL << 40)) refuse(name, "tensor '" + key + "' has a bad shape");
    if (__builtin_mul_overflow(wanted, extent.get<std::uint64_t>(), &wanted)) refuse(name, "tensor '" + key + "' has a bad shape");
    tensor.shape.push_back(extent.get<std::int64_t>());
  }
  const Extent extent{entry["data_offsets"][0], entry["data_offsets"][1], key};
  if (extent.end < extent.begin || extent.end - extent.begin != wanted) refuse(name, "the size of tensor '" + key + "' does not fit its shape");
  return extent;
}

}  // namespace

Tensor Tensor::floats(std::vector<std::int64_t> shape, std::span<const float> values) { return tensor_of(TensorType::float32, std::move(shape), values); }

Tensor Tensor::integers(std::span<const std::int64_t> values) { return tensor_of(TensorType::int64, {static_cast<std::int64_t>(values.size())}, values); }

std::span<const float> Tensor::as_floats() const {
  if (type != TensorType::float32) throw Error("a tensor is of type I64 where F32 was expected");
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

std::span<const std::int64_t> Tensor::as_integers() const {
  if (type != TensorType::int64) throw Error("a tensor is of type F32 where I64 was expected");
  return {reinterpret_cast<const std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)};
}

std::vector<std::byte> SafeTensors::bytes() const {
  // Wider types first, so that every tensor lies aligned in the file; names order the rest.
  std::vector<std::pair<std::string, const Tensor*>> order;
  for (const TensorType type : {TensorType::int64, TensorType::float32}) {
    for (const auto& [name, tensor] : tensors) {
      if (tensor.type == type) order.emplace_back(name, &tensor);
    }
  }
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : order) {
    header[name] = {{"dtype", type_name(tensor->type)}, {"shape", tensor->shape}, {"data_offsets", {offset, offset + tensor->bytes.size()}}};
    offset += tensor->bytes.size();
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  std::vector<std::byte> out(kLengthBytes + text.size() + offset);
  const std::uint64_t length = text.size();
  std::memcpy(out.data(), &length, kLengthBytes);
  std::memcpy(out.data() + kLengthBytes, text.data(), text.size());
  std::byte* data = out.data() + kLengthBytes + text.size();
  for (const auto& [name, tensor] : order) {
    data = std::copy(tensor->bytes.begin(), tensor->bytes.end(), data);
  }
  return out;
}

SafeTensors SafeTensors::parse(std::span<const std::byte> bytes, const std::string& name) {
  const std::uint64_t length = header_length(bytes, name);
  const json header = parse_header({reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length}, name);
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + length);
  SafeTensors file;
  std::vector<Extent> extents;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") {
      if (!entry.is_object()) refuse(name, "__metadata__ is not a map");
      for (const auto& [k, v] : entry.items()) {
        if (!v.is_string()) refuse(name, "__metadata__ holds something else than text: '" + k + "'");
        file.metadata[k] = v.get<std::string>();
      }
      continue;
    }
    extents.push_back(read_entry(key, entry, file.tensors[key], name));
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin < end) refuse(name, "tensor '" + extent.name + "' overlaps another");
    if (extent.begin > end) refuse(name, "there is a gap before tensor '" + extent.name + "'");
    if (extent.end > data.size()) refuse(name, "truncated: tensor '" + extent.name + "' ends beyond the end of the file");
    end = extent.end;
    const auto part = data.subspan(extent.begin, extent.end - extent.begin);
    file.tensors[extent.name].bytes.assign(part.begin(), part.end());
  }
  if (end != data.size()) refuse(name, std::to_string(data.size() - end) + " bytes follow the last tensor");
  return file;
}

SafeTensors SafeTensors::read(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  return parse(std::as_bytes(std::span(bytes.data(), bytes.size())), file.string());
}

}  // namespace wari
