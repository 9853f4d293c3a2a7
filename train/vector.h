#pragma once

#include <cstdint>

// Eight floats as one value of the compiler's own vector type: loops that it would not turn into vector code by itself (exponentials, sums in registers) are
// written with it. Only source files include this header.
namespace wari {

typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t IntegerVector __attribute__((vector_size(32), aligned(4), may_alias));
inline constexpr int kVector = 8;

inline Vector load_vector(const float* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store_vector(float* to, const Vector& values) { *reinterpret_cast<Vector*>(to) = values; }

// exp of arguments up to 0, to 2 units in the last place (Cephes' polynomial); below -87 as at -87, not a number stays so.
inline Vector exp_negative(Vector x) {
  x = x < -87.0f ? Vector{} - 87.0f : x;
  const Vector t = x * 1.44269504f;
  const Vector rounded = (t + 12582912.0f) - 12582912.0f;  // 1.5 x 2^23: rounds to the nearest whole number
  const Vector r = (x - rounded * 0.693359375f) + rounded * 2.12194440e-4f;
  Vector p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const IntegerVector power = (__builtin_convertvector(rounded, IntegerVector) + 127) << 23;
  return p * reinterpret_cast<const Vector&>(power);
}

}  // namespace wari
