#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <vector>

#include "train/network.h"

// Only files of this room that are built against LibTorch include this header.
namespace wari {

// A matrix and a bias under one name.
struct AffineModule : torch::nn::Module {
  AffineModule(std::vector<std::int64_t> weight_shape, std::int64_t outputs);
  torch::Tensor apply_to(const torch::Tensor& x) const;  // x weight^T + bias, the weight taken as [outputs, rest]

  torch::Tensor weight, bias;
};

// The network as a Torch module, with the tensors' names and shapes of NetworkLayout: plain operations that autograd follows on any device. The reference that the
// kernels of inference and the hand-written gradient are compared with.
struct NetworkModule : torch::nn::Module {
  explicit NetworkModule(const NetworkSettings& settings);

  // Tokens [batch, kTokens] as int64 to [batch, kHeadOutputs].
  torch::Tensor forward(const torch::Tensor& tokens) const;

  void set_weights(std::span<const float> flat /* [layout.size()] */);
  std::vector<float> flat_gradient() const;  // [layout.size()], after backward()

  NetworkLayout layout;
  std::shared_ptr<AffineModule> embedding;
  std::vector<std::shared_ptr<AffineModule>> layers;  // as FoldedNetwork::layers
  std::vector<std::shared_ptr<AffineModule>> heads;   // policy, wdl, margin, margin_classes, plies_left

 private:
  std::shared_ptr<AffineModule> add(torch::nn::Module& parent, const std::string& name, const std::string& tensor);
  torch::Tensor first_layer(const torch::Tensor& tokens) const;
};

}  // namespace wari
