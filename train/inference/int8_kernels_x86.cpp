#include "train/inference/int8_kernels.h"

// The integer kernels for AVX2, and for AVX-512 with VNNI where the build has it. The build's flags choose, in this file alone.
#ifdef __AVX2__
#include <immintrin.h>

namespace wari::fast {
namespace {

constexpr int kBlock = Int8Matrix::kBlock;
constexpr int kBlockBytes = kBlock * Int8Matrix::kQuad;  // weights of one block and quad: 64 bytes

// Sums of kGroupRows rows and one block of outputs.
using BlockSums = std::int32_t[kGroupRows][kBlock];

inline int load_quad(const std::uint8_t* from) {
  int quad;
  __builtin_memcpy(&quad, from, sizeof quad);
  return quad;
}

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)

constexpr int kBlocksAtOnce = 2;  // twelve independent accumulators hide the latency of vpdpbusd

template <int Blocks>
inline void accumulate(const std::int8_t* weight, std::ptrdiff_t block_bytes, int quads, const std::uint8_t* in, std::ptrdiff_t distance, BlockSums* sums /* [Blocks] */) {
  __m512i total[kGroupRows][Blocks];
  for (int row = 0; row < kGroupRows; ++row) {
    for (int block = 0; block < Blocks; ++block) total[row][block] = _mm512_setzero_si512();
  }
  for (int quad = 0; quad < quads; ++quad) {
    __m512i w[Blocks];
    for (int block = 0; block < Blocks; ++block) w[block] = _mm512_load_si512(weight + block * block_bytes + quad * kBlockBytes);
#pragma GCC unroll 6
    for (int row = 0; row < kGroupRows; ++row) {
      const __m512i x = _mm512_set1_epi32(load_quad(in + row * distance + quad * Int8Matrix::kQuad));
      for (int block = 0; block < Blocks; ++block) {
        total[row][block] = _mm512_dpbusd_epi32(total[row][block], x, w[block]);
        asm("" : "+v"(total[row][block]));  // keeps gcc from moving every total to another register and back
      }
    }
  }
  for (int row = 0; row < kGroupRows; ++row) {
    for (int block = 0; block < Blocks; ++block) _mm512_store_si512(sums[block][row], total[row][block]);
  }
}

#else

constexpr int kBlocksAtOnce = 1;

// Two vectors of outputs by six rows: twelve 16-bit accumulators over a span, then widened into 32-bit sums in memory. Per 64 products: two multiplications, two additions.
inline void accumulate_block(const std::int8_t* weight, int quads, const std::uint8_t* in, std::ptrdiff_t distance, BlockSums& sums) {
  constexpr int kSpanQuads = Int8Matrix::kSpan / Int8Matrix::kQuad;
  const __m256i ones = _mm256_set1_epi16(1);
  int first = 0;
  do {  // there is at least one span
    __m256i span[kGroupRows][2];
#pragma GCC unroll 8
    for (int quad = first; quad < first + kSpanQuads; ++quad) {
      const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(weight + quad * kBlockBytes));
      const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(weight + quad * kBlockBytes + 32));
#pragma GCC unroll 6
      for (int row = 0; row < kGroupRows; ++row) {
        const __m256i x = _mm256_set1_epi32(load_quad(in + row * distance + quad * Int8Matrix::kQuad));
        const __m256i low_products = _mm256_maddubs_epi16(x, low), high_products = _mm256_maddubs_epi16(x, high);
        span[row][0] = quad == first ? low_products : _mm256_add_epi16(span[row][0], low_products);
        span[row][1] = quad == first ? high_products : _mm256_add_epi16(span[row][1], high_products);
        // Keeps gcc from summing the products as a tree, which needs more registers than there are: 1.5 times the speed.
        asm("" : "+x"(span[row][0]), "+x"(span[row][1])::"memory");
      }
    }
#pragma GCC unroll 6
    for (int row = 0; row < kGroupRows; ++row) {
      for (int half = 0; half < 2; ++half) {
        __m256i* total = reinterpret_cast<__m256i*>(sums[row] + half * 8);
        const __m256i wide = _mm256_madd_epi16(span[row][half], ones);
        _mm256_store_si256(total, first == 0 ? wide : _mm256_add_epi32(_mm256_load_si256(total), wide));
      }
    }
    first += kSpanQuads;
  } while (first < quads);
}

template <int Blocks>
inline void accumulate(const std::int8_t* weight, std::ptrdiff_t block_bytes, int quads, const std::uint8_t* in, std::ptrdiff_t distance, BlockSums* sums /* [Blocks] */) {
  for (int block = 0; block < Blocks; ++block) accumulate_block(weight + block * block_bytes, quads, in, distance, sums[block]);
}

#endif

// sums * scale + onto
inline __m256 add_scaled(const std::int32_t* sums, const float* scale, __m256 onto) {
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(sums))), _mm256_load_ps(scale), onto);
}

template <bool Residual>
inline void write_block(const Int8Matrix& matrix, int column, const BlockSums& sums, std::ptrdiff_t distance, const std::uint8_t* residual, std::uint8_t* out) {
  for (int row = 0; row < kGroupRows; ++row) {
    __m256i rounded[2];
    for (int half = 0; half < 2; ++half) {
      const int output = column + half * 8;
      __m256 value = add_scaled(sums[row] + half * 8, matrix.scale.data() + output, _mm256_load_ps(matrix.bias.data() + output));
      if constexpr (Residual) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(residual + row * distance + half * 8));
        value = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), _mm256_load_ps(matrix.residual_scale.data() + output), value);
      }
      rounded[half] = _mm256_cvtps_epi32(value);
    }
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(rounded[0], rounded[1]), 0xD8);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));  // saturates at kLargestActivation
    _mm_store_si128(reinterpret_cast<__m128i*>(out + row * distance), _mm_max_epi8(bytes, _mm_setzero_si128()));
  }
}

template <int Blocks, bool Residual>
inline void layer_columns(const Int8Matrix& matrix, const GroupPlan& plan, int column, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) {
  const int quads = matrix.inputs / Int8Matrix::kQuad;
  const std::ptrdiff_t block_bytes = std::ptrdiff_t{quads} * kBlockBytes;
  const std::int8_t* weight = matrix.weight.data() + column / kBlock * block_bytes;
  for (int group = 0; group < plan.groups; ++group) {
    const std::ptrdiff_t offset = plan.offset(group);
    alignas(64) BlockSums sums[Blocks];
    accumulate<Blocks>(weight, block_bytes, quads, in + offset, plan.distance, sums);
    for (int block = 0; block < Blocks; ++block) {
      const int first = column + block * kBlock;
      write_block<Residual>(matrix, first, sums[block], plan.distance, Residual ? residual + offset + first : nullptr, out + offset + first);
    }
  }
}

template <bool Residual>
void layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) {
  int column = 0;
  for (; column + kBlocksAtOnce * kBlock <= matrix.outputs; column += kBlocksAtOnce * kBlock) {
    layer_columns<kBlocksAtOnce, Residual>(matrix, plan, column, in, residual, out);
  }
  for (; column < matrix.outputs; column += kBlock) layer_columns<1, Residual>(matrix, plan, column, in, residual, out);
}

}  // namespace

void int8_layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) {
  if (residual) {
    layer<true>(matrix, plan, in, residual, out);
  } else {
    layer<false>(matrix, plan, in, residual, out);
  }
}

void int8_head(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, float* outputs) {
  const int quads = matrix.inputs / Int8Matrix::kQuad;
  const std::ptrdiff_t block_bytes = std::ptrdiff_t{quads} * kBlockBytes;
  for (int group = 0; group < plan.groups; ++group) {
    alignas(64) BlockSums sums[2];
    accumulate<2>(matrix.weight.data(), block_bytes, quads, in + plan.offset(group), plan.distance, sums);
    for (int row = 0; row < kGroupRows; ++row) {
      for (int first = 0; first < kBlock; first += 8) {
        const __m256 coarse = add_scaled(sums[0][row] + first, matrix.scale.data() + first, _mm256_load_ps(matrix.bias.data() + first));
        _mm256_storeu_ps(outputs + (group * kGroupRows + row) * kNetworkOutputs + first, add_scaled(sums[1][row] + first, matrix.scale.data() + kBlock + first, coarse));
      }
    }
  }
}

}  // namespace wari::fast

#else

namespace wari::fast {

void int8_layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) {
  plain::int8_layer(matrix, plan, in, residual, out);
}
void int8_head(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, float* outputs) { plain::int8_head(matrix, plan, in, outputs); }

}  // namespace wari::fast
#endif
