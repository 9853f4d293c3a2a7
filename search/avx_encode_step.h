#pragma once

#include <immintrin.h>

#include "search/steps.h"

// encode_board() of single-lap rules in AVX2 registers: eight bytes a pit, all twelve pits sown at once. Included by the processor's executor alone.
namespace wari {

class AvxEncoder {
 public:
  // The same tokens as encode_board(), whose scalar loop it falls back to for several laps and where a grand slam is in reach.
  static void encode(const SowingTables& tables, const Rules& rules, const Position& position, int quiet_plies, Token* tokens /* [kBoardTokens] */) {
    if (rules.laps != Laps::single) return encode_board(tables, rules, position, quiet_plies, tokens);
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(&position));  // mover's pits, store, owner; the opponent's
    const __m256i both = _mm256_broadcastsi128_si256(bytes);
    // In this order of pits two shuffles and a pack below give 0 to 11.
    bool slam = false;
    const __m256i first = captures(both, Pits<0, 1, 4, 5>{}, slam), second = captures(both, Pits<2, 3, 6, 7>{}, slam), third = captures(both, Pits<8, 9, 10, 11>{}, slam);
    if (slam) [[unlikely]] return encode_board(tables, rules, position, quiet_plies, tokens);
    const __m256i eight = shuffle(first, second), four = shuffle(third, third);  // 32 bits each
    const __m256i packed = _mm256_packus_epi32(eight, four);                      // 0 1 2 3  8 9 8 9 | 4 5 6 7  10 11 10 11
    const __m128i low = _mm256_castsi256_si128(packed), high = _mm256_extracti128_si256(packed, 1);
    Token* const capture_tokens = tokens + kPitTokens + kStoreTokens + 1;
    const __m128i places = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i offsets = _mm_add_epi16(_mm_mullo_epi16(places, _mm_set1_epi16(kCaptureRange)), _mm_set1_epi16(kCaptureOffset));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(capture_tokens), _mm_add_epi16(_mm_unpacklo_epi64(low, high), offsets));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(capture_tokens + 8),
                     _mm_add_epi16(_mm_blend_epi16(_mm_unpackhi_epi64(low, low), _mm_unpackhi_epi64(high, high), 0xc), _mm_add_epi16(offsets, _mm_set1_epi16(8 * kCaptureRange))));
    write_pits(bytes, tokens);
    tokens[kPitTokens] = static_cast<Token>(kStoreOffset + store_seeds(position.mover));
    tokens[kPitTokens + 1] = static_cast<Token>(kStoreOffset + kStoreRange + store_seeds(position.opponent));
    tokens[kPitTokens + kStoreTokens] = static_cast<Token>(kQuietOffset + quiet_bucket(rules, quiet_plies));
  }

 private:
  template <int A, int B, int C, int D>
  struct Pits {};

  static __m256i shuffle(__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  }

  // Byte of the position that holds a pit's seeds, eight times.
  static constexpr long long byte_of(int pit) { return 0x0101010101010101LL * (pit < kPits ? pit : pit - kPits + 8); }
  // Bytes of the row that faces a pit, and two that read as 0.
  static constexpr long long facing_of(int pit) { return pit < kPits ? static_cast<long long>(0x80800d0c0b0a0908ULL) : static_cast<long long>(0x8080050403020100ULL); }
  // How many pits on from this pit the facing ones lie: 6 - pit, 7 - pit, ...; no seed comes to the two bytes behind.
  static constexpr long long distance_of(int pit) { return 0x7f7f050403020100LL + 0x0000010101010101LL * (kPits - pit % kPits); }

  // The first distance behind the facing row: from there on a seed falls into the own row again.
  static constexpr long long behind_of(int pit) { return 0x0101010101010101LL * (2 * kPits - pit % kPits); }

  // Seeds that four pits would capture, 64 bits each; kEmptyPit where a pit is empty.
  template <int A, int B, int C, int D>
  static __m256i captures(__m256i both, Pits<A, B, C, D>, bool& slam) {
    const __m256i seeds = _mm256_shuffle_epi8(both, _mm256_setr_epi64x(byte_of(A), byte_of(B), byte_of(C), byte_of(D)));
    const __m256i distance = _mm256_setr_epi64x(distance_of(A), distance_of(B), distance_of(C), distance_of(D));
    const __m256i lap = _mm256_set1_epi8(11);
    __m256i facing = _mm256_shuffle_epi8(both, _mm256_setr_epi64x(facing_of(A), facing_of(B), facing_of(C), facing_of(D)));
    // A pit gets a seed for every lap that reaches it; the last seed falls `left` pits on.
    __m256i left = seeds;
    facing = _mm256_sub_epi8(facing, _mm256_cmpgt_epi8(left, _mm256_sub_epi8(distance, _mm256_set1_epi8(1))));
    for (__m256i more = _mm256_cmpgt_epi8(left, lap); _mm256_movemask_epi8(more) != 0; more = _mm256_cmpgt_epi8(left, lap)) [[unlikely]] {
      left = _mm256_sub_epi8(left, _mm256_and_si256(more, lap));
      facing = _mm256_sub_epi8(facing, _mm256_and_si256(more, _mm256_cmpgt_epi8(left, _mm256_sub_epi8(distance, _mm256_set1_epi8(1)))));
    }
    const __m256i behind = _mm256_setr_epi64x(behind_of(A), behind_of(B), behind_of(C), behind_of(D));
    // Up to where the last seed fell, if it did not fall into the own row.
    const __m256i limit = _mm256_and_si256(_mm256_cmpgt_epi8(left, _mm256_sub_epi8(distance, _mm256_set1_epi8(1))), _mm256_cmpgt_epi8(behind, left));
    // The unbroken run of 2 and 3 below it: what lies above the highest pit that holds neither.
    __m256i broken = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_xor_si256(facing, _mm256_set1_epi8(2)), _mm256_set1_epi8(1)), limit);
    broken = _mm256_or_si256(broken, _mm256_srli_epi64(broken, 8));
    broken = _mm256_or_si256(broken, _mm256_srli_epi64(broken, 16));
    broken = _mm256_or_si256(broken, _mm256_srli_epi64(broken, 32));
    const __m256i run = _mm256_andnot_si256(broken, limit);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i rest = _mm256_cmpeq_epi64(_mm256_andnot_si256(run, facing), zero);  // nothing would be left
    slam |= _mm256_testc_si256(_mm256_cmpeq_epi64(run, zero), rest) == 0;
    const __m256i empty = _mm256_cmpeq_epi64(seeds, zero);
    return _mm256_blendv_epi8(_mm256_sad_epu8(_mm256_and_si256(facing, run), zero), _mm256_set1_epi64x(kEmptyPit), empty);
  }

  static void write_pits(__m128i bytes, Token* tokens) {
    const __m128i capped = _mm_min_epu8(bytes, _mm_set1_epi8(kPitRange - 1));
    const __m128i offsets = _mm_setr_epi16(0, kPitRange, 2 * kPitRange, 3 * kPitRange, 4 * kPitRange, 5 * kPitRange, 0, 0);
    const __m128i mover = _mm_add_epi16(_mm_cvtepu8_epi16(capped), offsets);
    const __m128i opponent = _mm_add_epi16(_mm_cvtepu8_epi16(_mm_srli_si128(capped, 8)), _mm_add_epi16(offsets, _mm_set1_epi16(kPits * kPitRange)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tokens), mover);              // two more than the pits: overwritten next
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tokens + kPits), opponent);  // and these by the stores
  }
};

}  // namespace wari
