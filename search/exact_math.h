#pragma once

#include <cstdint>
#include <cstring>

#include "core/portability.h"

// Logarithm and exponential from single additions and products only (the polynomials of Cephes, Moshier 1989), so that CPU and GPU agree to the last bit.
// Both are within two units in the last place; the loops that call them vectorise.
namespace wari {

WARI_HD inline float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

WARI_HD inline std::uint32_t bits_of_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// e^x; arguments are clamped to -87..88.
WARI_HD inline float exact_exp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  const float shifted = x * 1.44269504088896341f + kRounder;
  const float whole = shifted - kRounder;
  const float r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
  float y = 1.9875691500e-4f;
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  y = y * r + 5.0000001201e-1f;
  y = y * (r * r) + r + 1.0f;
  const std::uint32_t exponent = (bits_of_float(shifted) - bits_of_float(kRounder) + 127u) << 23;
  return y * float_from_bits(exponent);
}

// Natural logarithm of a positive, normal number.
WARI_HD inline float exact_log(float value) {
  const std::uint32_t bits = bits_of_float(value);
  // The exponent is taken so that the mantissa lies in [sqrt(1/2), sqrt(2)).
  const std::uint32_t shifted = bits - 0x3f3504f3u;
  const int exponent = static_cast<int>(shifted) >> 23;
  const float e = static_cast<float>(exponent);
  const float x = float_from_bits(bits - (static_cast<std::uint32_t>(exponent) << 23)) - 1.0f;
  const float z = x * x;
  float y = 7.0376836292e-2f;
  y = y * x - 1.1514610310e-1f;
  y = y * x + 1.1676998740e-1f;
  y = y * x - 1.2420140846e-1f;
  y = y * x + 1.4249322787e-1f;
  y = y * x - 1.6668057665e-1f;
  y = y * x + 2.0000714765e-1f;
  y = y * x - 2.4999993993e-1f;
  y = y * x + 3.3333331174e-1f;
  y = y * x * z;
  y = y + e * -2.12194440e-4f;
  y = y - 0.5f * z;
  return (x + y) + e * 0.693359375f;
}

}  // namespace wari
