#include "train/network.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/random.h"

namespace wari {

namespace {

constexpr std::int64_t kAlignment = 16;  // floats: 64 bytes, so that products meet the same alignment in every process and give the same bits

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

struct Head {
  const char* name;
  std::int64_t outputs;
};
constexpr Head kHeads[] = {{"policy", kActions}, {"wdl", 3}, {"margin", 1}, {"margin_classes", kMarginClasses}, {"plies_left", 1}};

}  // namespace

const std::vector<std::string>& trunk_kind_names() {
  static const std::vector<std::string> names{"mlp", "conv"};
  return names;
}

std::string network_name(const NetworkSettings& settings) {
  return trunk_kind_name(settings.kind) + "_" + std::to_string(settings.blocks) + "x" + std::to_string(settings.width);
}

std::int64_t NetworkLayout::add(const std::string& name, std::vector<std::int64_t> shape, bool decays, bool aligned) {
  if (aligned) size_ = (size_ + kAlignment - 1) / kAlignment * kAlignment;
  TensorPlace place;
  place.name = name;
  place.size = product(shape);
  place.shape = std::move(shape);
  place.offset = size_;
  place.decays = decays;
  size_ += place.size;
  tensors_.push_back(place);
  return tensors_.back().offset;
}

NetworkLayout::NetworkLayout(const NetworkSettings& settings) : settings_(settings) {
  const std::int64_t width = settings.width;
  embedding_ = add("embedding.weight", {kVocabulary, width}, false, true);
  input_bias_ = add("embedding.bias", {width}, false, true);
  for (int block = 0; block < settings.blocks; ++block) {
    const std::string name = "blocks." + std::to_string(block);
    if (settings.kind == TrunkKind::mlp) {
      layer_weight_.push_back(add(name + ".weight", {width, width}, true, true));
      layer_bias_.push_back(add(name + ".bias", {width}, false, true));
    } else {
      for (const char* half : {".first", ".second"}) {
        layer_weight_.push_back(add(name + half + ".weight", {width, 3, width}, true, true));
        layer_bias_.push_back(add(name + half + ".bias", {width}, false, true));
      }
    }
  }
  // Neighbours without gaps: one product and one bias serve all heads.
  for (const Head& head : kHeads) {
    const std::int64_t offset = add(head.name + std::string(".weight"), {head.outputs, features()}, false, &head == kHeads);
    if (&head == kHeads) head_weight_ = offset;
  }
  for (const Head& head : kHeads) {
    const std::int64_t offset = add(head.name + std::string(".bias"), {head.outputs}, false, &head == kHeads);
    if (&head == kHeads) head_bias_ = offset;
  }
  size_ = (size_ + kAlignment - 1) / kAlignment * kAlignment;
}

const TensorPlace& NetworkLayout::find(const std::string& name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorPlace& place) { return place.name == name; });
  if (found == tensors_.end()) throw Error("no such tensor: '" + name + "': " + network_name(settings_));
  return *found;
}

std::int64_t NetworkLayout::parameters() const {
  std::int64_t count = 0;
  for (const TensorPlace& place : tensors_) count += place.size;
  return count;
}

std::vector<float> initial_weights(const NetworkLayout& layout, std::uint64_t seed) {
  std::vector<float> weights(static_cast<std::size_t>(layout.size()), 0.0f);
  std::uint64_t number = 0;
  for (const TensorPlace& place : layout.tensors()) {
    ++number;
    if (place.shape.size() < 2) continue;  // biases begin at 0
    // Uniform draws. The first layer adds kTokens rows; hidden matrices begin small beside the identity of their residual; small heads begin near an even opinion.
    float bound = std::sqrt(3.0f / kTokens);
    if (place.name.rfind("blocks.", 0) == 0) bound = 1.0f / std::sqrt(static_cast<float>(layout.layer_inputs()));
    if (place.offset >= layout.head_weight()) bound = 0.3f / std::sqrt(static_cast<float>(layout.features()));
    float* values = weights.data() + place.offset;
    for (std::int64_t i = 0; i < place.size; ++i) {
      values[i] = bound * (2.0f * random_unit(random_bits(seed, number, 0, Purpose::weight_init, static_cast<std::uint32_t>(i))) - 1.0f);
    }
  }
  return weights;
}

FoldedNetwork fold_network(const NetworkLayout& layout, std::span<const float> weights) {
  const auto copy = [&](std::int64_t offset, std::int64_t count) {
    return std::vector<float>(weights.begin() + offset, weights.begin() + offset + count);
  };
  const std::int64_t width = layout.settings().width;
  FoldedNetwork folded;
  folded.kind = layout.settings().kind;
  folded.width = layout.settings().width;
  folded.blocks = layout.settings().blocks;
  folded.embedding = copy(layout.embedding(), kVocabulary * width);
  folded.input_bias = copy(layout.input_bias(), width);
  for (int layer = 0; layer < layout.layers(); ++layer) {
    folded.layers.push_back({copy(layout.layer_weight(layer), width * layout.layer_inputs()), copy(layout.layer_bias(layer), width)});
  }
  folded.head_weight = copy(layout.head_weight(), static_cast<std::int64_t>(kNetworkOutputs) * layout.features());
  folded.head_bias = copy(layout.head_bias(), kNetworkOutputs);
  return folded;
}

}  // namespace wari
