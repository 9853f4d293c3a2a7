#include "train/adamw.h"

#include <cmath>

namespace wari {

void adamw(const AdamwStep& step, const float* __restrict gradient, float* __restrict weights, float* __restrict mean, float* __restrict square,
           float* __restrict averaged, std::int64_t count) {
  const float keep = 1.0f - step.learning_rate * step.decay;
  const float rate = step.learning_rate / step.correction1;
  const float root = 1.0f / std::sqrt(step.correction2);
  const float new1 = 1.0f - step.beta1, new2 = 1.0f - step.beta2, new_average = 1.0f - step.average_decay;
  // CMakeLists.txt compiles this file with -fno-math-errno: a square root that may set errno keeps the loop from becoming vector code.
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * step.gradient_scale;
    const float m = mean[i] + new1 * (g - mean[i]);
    const float v = step.beta2 * square[i] + new2 * (g * g);
    const float w = weights[i] * keep - rate * m / (std::sqrt(v) * root + step.epsilon);
    mean[i] = m;
    square[i] = v;
    weights[i] = w;
    averaged[i] += new_average * (w - averaged[i]);
  }
}

}  // namespace wari
