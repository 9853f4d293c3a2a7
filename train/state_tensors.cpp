#include "train/state_tensors.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace wari {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text.empty() ? "[]" : text + "]";
}

}  // namespace

void write_tensors(const NetworkLayout& layout, std::span<const float> flat, const std::string& prefix, SafeTensors& file) {
  for (const TensorPlace& place : layout.tensors()) {
    file.tensors[prefix + place.name] = Tensor::floats(place.shape, flat.subspan(static_cast<std::size_t>(place.offset), static_cast<std::size_t>(place.size)));
  }
}

void read_tensors(const NetworkLayout& layout, const std::string& prefix, const SafeTensors& file, std::span<float> flat) {
  for (const TensorPlace& place : layout.tensors()) {
    const std::span<const float> values = file.tensors.at(prefix + place.name).as_floats();
    std::copy(values.begin(), values.end(), flat.begin() + place.offset);
  }
}

void check_tensors(const NetworkLayout& layout, const std::vector<std::string>& prefixes, const std::vector<std::string>& others, const SafeTensors& file,
                   const std::string& name) {
  std::vector<std::string> wrong;
  std::set<std::string> expected(others.begin(), others.end());
  for (const std::string& other : others) {
    if (file.tensors.count(other) == 0) wrong.push_back("'" + other + "' is missing");
  }
  for (const std::string& prefix : prefixes) {
    for (const TensorPlace& place : layout.tensors()) {
      const std::string key = prefix + place.name;
      expected.insert(key);
      const auto found = file.tensors.find(key);
      if (found == file.tensors.end()) {
        wrong.push_back("'" + key + "' is missing");
      } else if (found->second.type != TensorType::float32 || found->second.shape != place.shape) {
        wrong.push_back("'" + key + "' is " + shape_text(found->second.shape) + ", expected " + shape_text(place.shape));
      }
    }
  }
  for (const auto& [key, tensor] : file.tensors) {
    if (expected.count(key) == 0) wrong.push_back("'" + key + "' is not part of this network");
  }
  if (wrong.empty()) return;
  constexpr std::size_t kListed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, wrong.size()); ++i) text += (i == 0 ? "" : "; ") + wrong[i];
  if (wrong.size() > kListed) text += "; and " + std::to_string(wrong.size() - kListed) + " more";
  throw Error("the tensors do not fit " + network_name(layout.settings()) + ": " + name + ": " + text);
}

}  // namespace wari
