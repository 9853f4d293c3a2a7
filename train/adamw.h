#pragma once

#include <cstdint>

namespace wari {

inline constexpr float kAdamEpsilon = 1e-8f;

// AdamW (Loshchilov, Hutter 2019) on a range of a flat buffer, with the averaged weights updated in the same pass: memory traffic is all that it costs.
struct AdamwStep {
  float learning_rate;
  float beta1, beta2;
  float correction1, correction2;   // 1 - beta^t
  float decay;                      // weights are multiplied by 1 - learning_rate x decay
  float epsilon = kAdamEpsilon;
  float average_decay;              // averaged = average_decay x averaged + (1 - average_decay) x weights
  float gradient_scale;             // of clipping
};

// All [count]; `mean` and `square` are the running moments.
void adamw(const AdamwStep& step, const float* gradient, float* weights, float* mean, float* square, float* averaged, std::int64_t count);

}  // namespace wari
