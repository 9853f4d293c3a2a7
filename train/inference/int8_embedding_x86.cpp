#include "train/inference/int8_kernels.h"

// The first layer in bytes. A vector of 32 bytes is summed as 16-bit lanes twice: whole (even units, plus 256 times the odd ones) and shifted (odd units), which costs fewer
// instructions than widening each row; the even sums fall out at the end by one subtraction modulo 2^16.
#ifdef __AVX2__
#include <immintrin.h>

namespace wari::fast {
namespace {

constexpr int kVectorUnits = 32;

inline __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

struct Sums {
  __m256i whole, odd;

  void add(__m256i bytes) {
    whole = _mm256_add_epi16(whole, bytes);
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  __m256i even() const { return _mm256_sub_epi16(whole, _mm256_slli_epi16(odd, 8)); }
};

inline __m256i activation(__m256i sum, __m256i multiplier) {
  const __m256i above_zero = _mm256_min_epi16(_mm256_max_epi16(sum, _mm256_setzero_si256()), _mm256_set1_epi16(32767 >> kEmbeddingShift));
  return _mm256_min_epi16(_mm256_mulhrs_epi16(_mm256_slli_epi16(above_zero, kEmbeddingShift), multiplier), _mm256_set1_epi16(Int8Matrix::kLargestActivation));
}

inline void store_activations(__m256i even, __m256i odd, const std::int16_t* multiplier, std::uint8_t* out) {
  const __m256i bytes = _mm256_or_si256(activation(even, load(multiplier)), _mm256_slli_epi16(activation(odd, load(multiplier + 16)), 8));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
}

// Units [unit, unit + 32 * Vectors) of one position.
template <int Vectors>
inline void embed_units(const ByteEmbedding& table, int unit, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) {
  static_assert(kBoardTokens % 2 == 1);
  const std::uint8_t* first = table.rows.data() + unit;
  const std::size_t pitch = static_cast<std::size_t>(table.pitch);
  Sums sums[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const __m256i bytes = load(first + tokens[kBoardTokens - 1] * pitch + v * kVectorUnits);
    sums[v] = {bytes, _mm256_srli_epi16(bytes, 8)};
  }
#pragma GCC unroll 13
  for (int place = 0; place + 1 < kBoardTokens; place += 2) {
    const std::uint8_t* one = first + tokens[place] * pitch;
    const std::uint8_t* other = first + tokens[place + 1] * pitch;
    for (int v = 0; v < Vectors; ++v) {
      sums[v].add(_mm256_add_epi8(load(one + v * kVectorUnits), load(other + v * kVectorUnits)));
      asm("" : "+x"(sums[v].whole), "+x"(sums[v].odd));  // no sums as a tree: they would be kept in memory
    }
  }
  for (int v = 0; v < Vectors; ++v) {
    const int at = unit + v * kVectorUnits;
    const __m256i even = _mm256_adds_epi16(sums[v].even(), load(rule_row + at)), odd = _mm256_adds_epi16(sums[v].odd, load(rule_row + at + 16));
    store_activations(even, odd, table.multiplier.data() + at, out + at);
  }
}

}  // namespace

void embed_mlp(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) {
  int unit = 0;
  for (; unit + 4 * kVectorUnits <= table.pitch; unit += 4 * kVectorUnits) embed_units<4>(table, unit, rule_row, tokens, out);
  for (; unit + 2 * kVectorUnits <= table.pitch; unit += 2 * kVectorUnits) embed_units<2>(table, unit, rule_row, tokens, out);
  for (; unit < table.pitch; unit += kVectorUnits) embed_units<1>(table, unit, rule_row, tokens, out);
}

void embed_conv(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) {
  constexpr int kShared = kStoreTokens + 1;
  const Token* captures = tokens + kPitTokens + kShared;
  for (int unit = 0; unit < table.pitch; unit += kVectorUnits) {
    Sums shared{_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int place = kPitTokens; place < kPitTokens + kShared; ++place) shared.add(load(table.row(tokens[place]) + unit));
    const __m256i rule_even = load(rule_row + unit), rule_odd = load(rule_row + unit + 16);
    for (int pit = 0; pit < kPitTokens; ++pit) {
      Sums sums = shared;
      sums.add(_mm256_add_epi8(load(table.row(tokens[pit]) + unit), load(table.row(captures[pit]) + unit)));
      store_activations(_mm256_adds_epi16(sums.even(), rule_even), _mm256_adds_epi16(sums.odd, rule_odd), table.multiplier.data() + unit, out + pit * table.pitch + unit);
    }
  }
}

}  // namespace wari::fast

#else

namespace wari::fast {

void embed_mlp(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) { plain::embed_mlp(table, rule_row, tokens, out); }
void embed_conv(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) { plain::embed_conv(table, rule_row, tokens, out); }

}  // namespace wari::fast
#endif
