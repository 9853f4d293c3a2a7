#pragma once

#include <memory>
#include <span>

#include "core/rules.h"
#include "train/network.h"
#include "train/sample_loss.h"

namespace wari {

// Loss and gradient of a network on part of a batch, by hand and for one thread: first layer, trunk and heads are matrix products (LibTorch's) on static buffers,
// and everything between them is one pass. Samples go through in chunks whose activations stay near the core. tests/train compare it with autograd.
class CpuGradient {
 public:
  CpuGradient(const NetworkLayout& layout, const TrainerSettings& settings);
  ~CpuGradient();
  CpuGradient(CpuGradient&&) noexcept;
  CpuGradient& operator=(CpuGradient&&) noexcept;

  // `gradient` [layout.size()] becomes the gradient of the sum over `samples` of loss x `scale`; `report` gets their numbers added.
  void run(const float* weights /* [layout.size()] */, std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report);
  std::span<const float> gradient() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wari
