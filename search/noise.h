#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "search/exact_math.h"

// Random variables of the root from counted bits: no generator, and the same number on every device.
namespace wari {

// Standard Gumbel variable.
WARI_HD inline float gumbel_from_bits(std::uint64_t bits) { return -exact_log(-exact_log(random_unit(bits))); }

// Standard normal variable by the inverse of its distribution function (Acklam 2003; relative error about 1e-9, here that of float).
WARI_HD inline float normal_from_unit(float unit) {
  constexpr float kTail = 0.02425f;
  const bool low = unit < kTail, high = unit > 1.0f - kTail;
  if (low || high) {
    const float q = std::sqrt(-2.0f * exact_log(low ? unit : 1.0f - unit));
    const float above = ((((-7.784894002430293e-3f * q - 3.223964580411365e-1f) * q - 2.400758277161838f) * q - 2.549732539343734f) * q + 4.374664141464968f) * q + 2.938163982698783f;
    const float below = (((7.784695709041462e-3f * q + 3.224671290700398e-1f) * q + 2.445134137142996f) * q + 3.754408661907416f) * q + 1.0f;
    return low ? above / below : -(above / below);
  }
  const float q = unit - 0.5f, r = q * q;
  const float above = (((((-3.969683028665376e1f * r + 2.209460984245205e2f) * r - 2.759285104469687e2f) * r + 1.383577518672690e2f) * r - 3.066479806614716e1f) * r + 2.506628277459239f) * q;
  const float below = ((((-5.447609879822406e1f * r + 1.615858368580409e2f) * r - 1.556989798598866e2f) * r + 6.680131188771972e1f) * r - 1.328068155288572e1f) * r + 1.0f;
  return above / below;
}

// The key of a search's random numbers.
struct NoiseKey {
  std::uint64_t seed, game;
  std::uint32_t ply;
  WARI_HD std::uint64_t bits(Purpose purpose, std::uint32_t index) const { return random_bits(seed, game, ply, purpose, index); }
};

// Gamma variable of shape `alpha` (Marsaglia and Tsang 2000), for one edge. Rejections are rare; 16 in a row do not happen.
WARI_HD inline float gamma_variable(const NoiseKey& key, std::uint32_t edge, float alpha) {
  std::uint32_t index = edge * 64;
  float boost = 1.0f;
  if (alpha < 1.0f) {
    boost = exact_exp(exact_log(random_unit(key.bits(Purpose::dirichlet, index++))) / alpha);
    alpha += 1.0f;
  }
  const float d = alpha - 1.0f / 3.0f;
  const float c = 1.0f / std::sqrt(9.0f * d);
  float v = 1.0f;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const float x = normal_from_unit(random_unit(key.bits(Purpose::dirichlet, index)));
    const float u = random_unit(key.bits(Purpose::dirichlet, index + 1));
    index += 2;
    const float root = 1.0f + c * x;
    if (root <= 1e-3f) continue;
    v = root * root * root;
    if (exact_log(u) < 0.5f * x * x + d - d * v + d * exact_log(v)) break;
  }
  return d * v * boost;
}

// Dirichlet noise over the legal edges, shaped as in KataGo (Wu 2019): half of the concentration is spread evenly, half over moves whose prior stands above the mean of
// the logarithms, so that plausible moves are tried more often. Writes 0 for illegal edges; the noise sums to 1.
template <int Edges>
WARI_HD void shaped_dirichlet(const NoiseKey& key, const float* prior /* [Edges] */, std::uint32_t legal, float concentration, float* noise /* [Edges] */) {
  int moves = 0;
  for (int e = 0; e < Edges; ++e) moves += (legal >> e) & 1;
  const float even = 1.0f / static_cast<float>(moves);
  float* const shape = noise;  // until the noise takes its place
  float mean = 0;
  for (int e = 0; e < Edges; ++e) {
    const float capped = prior[e] < even ? prior[e] : even;
    shape[e] = (legal >> e) & 1 ? exact_log(capped + 1e-20f) : 0.0f;
    mean += shape[e] * even;
  }
  float shape_sum = 0;
  for (int e = 0; e < Edges; ++e) {
    const float above = shape[e] - mean;
    shape[e] = (legal >> e) & 1 && above > 0 ? above : 0.0f;
    shape_sum += shape[e];
  }
  float sum = 0;
  for (int e = 0; e < Edges; ++e) {
    const float above = shape[e];
    noise[e] = 0;
    if (((legal >> e) & 1) == 0) continue;
    const float share = shape_sum > 1e-6f ? 0.5f * even + 0.5f * above / shape_sum : even;
    noise[e] = gamma_variable(key, static_cast<std::uint32_t>(e), concentration * share) + 1e-30f;
    sum += noise[e];
  }
  for (int e = 0; e < Edges; ++e) noise[e] /= sum;
}

}  // namespace wari
