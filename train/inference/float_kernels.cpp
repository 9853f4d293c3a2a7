#include "train/inference/float_kernels.h"

#include <cmath>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace wari {
namespace {

#if defined(__AVX512F__)
struct Lanes {
  static constexpr int kCount = 16;
  __m512 value;
  static Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Lanes all(float from) { return {_mm512_set1_ps(from)}; }
  void store(float* to) const { _mm512_storeu_ps(to, value); }
  void add_product(Lanes a, Lanes b) { value = _mm512_fmadd_ps(a.value, b.value, value); }
  Lanes plus(Lanes other) const { return {_mm512_add_ps(value, other.value)}; }
  Lanes relu() const { return {_mm512_maskz_max_ps(0xFFFF, value, _mm512_setzero_ps())}; }  // not _mm512_max_ps, about which gcc 12 warns by mistake
};
#elif defined(__AVX2__)
struct Lanes {
  static constexpr int kCount = 8;
  __m256 value;
  static Lanes load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Lanes all(float from) { return {_mm256_set1_ps(from)}; }
  void store(float* to) const { _mm256_storeu_ps(to, value); }
  void add_product(Lanes a, Lanes b) { value = _mm256_fmadd_ps(a.value, b.value, value); }
  Lanes plus(Lanes other) const { return {_mm256_add_ps(value, other.value)}; }
  Lanes relu() const { return {_mm256_max_ps(value, _mm256_setzero_ps())}; }
};
#else
struct Lanes {
  static constexpr int kCount = 1;
  float value;
  static Lanes load(const float* from) { return {*from}; }
  static Lanes all(float from) { return {from}; }
  void store(float* to) const { *to = value; }
  void add_product(Lanes a, Lanes b) { value = std::fma(a.value, b.value, value); }
  Lanes plus(Lanes other) const { return {value + other.value}; }
  Lanes relu() const { return {value > 0 ? value : 0}; }
};
#endif

// Two vectors of outputs by six rows: twelve accumulators, which leaves four of AVX2's sixteen registers.
constexpr int kVectors = 2;
constexpr int kStep = kVectors * Lanes::kCount;

// Sums of one group of rows and the outputs [column, column + kStep), or one vector of them where `Vectors` is 1.
template <int Vectors>
inline void accumulate(const FloatMatrix& matrix, int column, const float* in, std::ptrdiff_t distance, Lanes (&sums)[kGroupRows][Vectors]) {
  const float* weight[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const int output = column + v * Lanes::kCount;
    weight[v] = matrix.weight.data() + static_cast<std::size_t>(output / FloatMatrix::kBlock) * matrix.inputs * FloatMatrix::kBlock + output % FloatMatrix::kBlock;
    for (int row = 0; row < kGroupRows; ++row) sums[row][v] = Lanes::load(matrix.bias.data() + output);
  }
  for (int input = 0; input < matrix.inputs; ++input) {
    Lanes w[Vectors];
    for (int v = 0; v < Vectors; ++v) w[v] = Lanes::load(weight[v] + static_cast<std::ptrdiff_t>(input) * FloatMatrix::kBlock);
#pragma GCC unroll 6
    for (int row = 0; row < kGroupRows; ++row) {
      const Lanes x = Lanes::all(in[row * distance + input]);
      for (int v = 0; v < Vectors; ++v) sums[row][v].add_product(x, w[v]);
    }
  }
}

template <int Vectors, bool Residual>
inline void layer_columns(const FloatMatrix& matrix, const GroupPlan& plan, int column, const float* in, const float* residual, float* out) {
  for (int group = 0; group < plan.groups; ++group) {
    const std::ptrdiff_t offset = plan.offset(group);
    Lanes sums[kGroupRows][Vectors];
    accumulate<Vectors>(matrix, column, in + offset, plan.distance, sums);
    for (int row = 0; row < kGroupRows; ++row) {
      for (int v = 0; v < Vectors; ++v) {
        const std::ptrdiff_t at = offset + row * plan.distance + column + v * Lanes::kCount;
        Lanes sum = sums[row][v];
        if constexpr (Residual) sum = sum.plus(Lanes::load(residual + at));
        sum.relu().store(out + at);
      }
    }
  }
}

template <bool Residual>
void layer(const FloatMatrix& matrix, const GroupPlan& plan, const float* in, const float* residual, float* out) {
  int column = 0;
  for (; column + kStep <= matrix.outputs; column += kStep) layer_columns<kVectors, Residual>(matrix, plan, column, in, residual, out);
  for (; column < matrix.outputs; column += Lanes::kCount) layer_columns<1, Residual>(matrix, plan, column, in, residual, out);
}

}  // namespace

void float_layer(const FloatMatrix& matrix, const GroupPlan& plan, const float* in, const float* residual, float* out) {
  if (residual) {
    layer<true>(matrix, plan, in, residual, out);
  } else {
    layer<false>(matrix, plan, in, residual, out);
  }
}

void float_head(const FloatMatrix& matrix, const GroupPlan& plan, const float* in, float* outputs) {
  constexpr int kHeadVectors = kNetworkOutputs / Lanes::kCount < kVectors ? kNetworkOutputs / Lanes::kCount : kVectors;
  for (int group = 0; group < plan.groups; ++group) {
    for (int column = 0; column < kNetworkOutputs; column += kHeadVectors * Lanes::kCount) {
      Lanes sums[kGroupRows][kHeadVectors];
      accumulate<kHeadVectors>(matrix, column, in + plan.offset(group), plan.distance, sums);
      for (int row = 0; row < kGroupRows; ++row) {
        for (int v = 0; v < kHeadVectors; ++v) sums[row][v].store(outputs + (group * kGroupRows + row) * kNetworkOutputs + column + v * Lanes::kCount);
      }
    }
  }
}

void add_rows(const float* const* rows, int row_count, int width, float* sum) {
  int column = 0;
  constexpr int kWide = 4 * Lanes::kCount;
  for (; column + kWide <= width; column += kWide) {
    Lanes sums[4];
    for (int v = 0; v < 4; ++v) sums[v] = Lanes::load(sum + column + v * Lanes::kCount);
    for (int row = 0; row < row_count; ++row) {
      for (int v = 0; v < 4; ++v) sums[v] = sums[v].plus(Lanes::load(rows[row] + column + v * Lanes::kCount));
    }
    for (int v = 0; v < 4; ++v) sums[v].store(sum + column + v * Lanes::kCount);
  }
  for (; column < width; ++column) {
    for (int row = 0; row < row_count; ++row) sum[column] += rows[row][column];
  }
}

}  // namespace wari
