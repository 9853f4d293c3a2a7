#include "train/network_module.h"

#include <torch/nn/functional/embedding.h>

namespace wari {

namespace {

// Each pit beside its neighbours: [batch, 12, width] to [batch, 12, 3 width].
torch::Tensor neighbours(const torch::Tensor& x) { return torch::cat({torch::roll(x, 1, 1), x, torch::roll(x, -1, 1)}, 2); }

}  // namespace

AffineModule::AffineModule(std::vector<std::int64_t> weight_shape, std::int64_t outputs) {
  weight = register_parameter("weight", torch::zeros(weight_shape));
  bias = register_parameter("bias", torch::zeros({outputs}));
}

torch::Tensor AffineModule::apply_to(const torch::Tensor& x) const { return torch::matmul(x, weight.reshape({weight.size(0), -1}).t()) + bias; }

NetworkModule::NetworkModule(const NetworkSettings& settings) : layout(settings) {
  embedding = add(*this, "embedding", "embedding");
  const auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>("blocks"));
  for (int block = 0; block < settings.blocks; ++block) {
    const std::string number = std::to_string(block);
    if (settings.kind == TrunkKind::mlp) {
      layers.push_back(add(*blocks, number, "blocks." + number));
      continue;
    }
    const auto pair = blocks->register_module(number, std::make_shared<torch::nn::Module>("block"));
    for (const char* half : {"first", "second"}) layers.push_back(add(*pair, half, "blocks." + number + "." + half));
  }
  for (const char* head : {"policy", "wdl", "margin", "margin_classes", "plies_left"}) heads.push_back(add(*this, head, head));
}

std::shared_ptr<AffineModule> NetworkModule::add(torch::nn::Module& parent, const std::string& name, const std::string& tensor) {
  const std::int64_t outputs = layout.find(tensor + ".bias").shape.front();
  return parent.register_module(name, std::make_shared<AffineModule>(layout.find(tensor + ".weight").shape, outputs));
}

torch::Tensor NetworkModule::first_layer(const torch::Tensor& tokens) const {
  namespace functional = torch::nn::functional;
  const torch::Tensor rows = functional::embedding(tokens, embedding->weight);  // [batch, kTokens, width]
  if (layout.settings().kind == TrunkKind::mlp) return torch::relu(rows.sum(1) + embedding->bias);
  constexpr int captures = kPitTokens + kStoreTokens + 1;
  const torch::Tensor own = rows.slice(1, 0, kPitTokens) + rows.slice(1, captures, captures + kCaptureTokens);
  const torch::Tensor shared = rows.slice(1, kPitTokens, captures).sum(1) + rows.slice(1, captures + kCaptureTokens, kTokens).sum(1);
  return torch::relu(own + shared.unsqueeze(1) + embedding->bias);
}

torch::Tensor NetworkModule::forward(const torch::Tensor& tokens) const {
  torch::Tensor x = first_layer(tokens);
  if (layout.settings().kind == TrunkKind::mlp) {
    for (const auto& layer : layers) x = torch::relu(x + layer->apply_to(x));
  } else {
    for (std::size_t layer = 0; layer + 1 < layers.size(); layer += 2) {
      const torch::Tensor y = torch::relu(layers[layer]->apply_to(neighbours(x)));
      x = torch::relu(x + layers[layer + 1]->apply_to(neighbours(y)));
    }
    x = x.flatten(1);
  }
  std::vector<torch::Tensor> outputs;
  for (const auto& head : heads) outputs.push_back(head->apply_to(x));
  return torch::cat(outputs, 1);
}

void NetworkModule::set_weights(std::span<const float> flat) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : named_parameters()) {
    const TensorPlace& place = layout.find(parameter.key());
    parameter.value().copy_(torch::from_blob(const_cast<float*>(flat.data()) + place.offset, place.shape, torch::kFloat));
  }
}

std::vector<float> NetworkModule::flat_gradient() const {
  std::vector<float> flat(static_cast<std::size_t>(layout.size()), 0.0f);
  for (const auto& parameter : named_parameters()) {
    const torch::Tensor gradient = parameter.value().grad();
    if (!gradient.defined()) continue;
    const torch::Tensor values = gradient.to(torch::kCPU, torch::kFloat).contiguous();
    std::copy_n(values.data_ptr<float>(), values.numel(), flat.begin() + layout.find(parameter.key()).offset);
  }
  return flat;
}

}  // namespace wari
