#pragma once

#include <immintrin.h>

#include <cstdint>

#include "search/plain_kernel.h"

// The inner loops over six edges in AVX2 registers, bit-identical to PlainKernel. Included by the processor's executor alone, so that no header that a kernel of a GPU
// includes depends on the instruction set.
namespace wari {

struct AvxKernel {
  // e^x of eight numbers, operation by operation as exact_exp().
  static __m256 exponentials(__m256 x) {
    x = _mm256_max_ps(x, _mm256_set1_ps(-87.0f));
    x = _mm256_min_ps(x, _mm256_set1_ps(88.0f));
    const __m256 rounder = _mm256_set1_ps(12582912.0f);
    const __m256 shifted = _mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504088896341f)), rounder);
    const __m256 whole = _mm256_sub_ps(shifted, rounder);
    const __m256 high = _mm256_sub_ps(x, _mm256_mul_ps(whole, _mm256_set1_ps(0.693359375f)));
    const __m256 r = _mm256_sub_ps(high, _mm256_mul_ps(whole, _mm256_set1_ps(-2.12194440e-4f)));
    __m256 y = _mm256_set1_ps(1.9875691500e-4f);
    for (const float coefficient : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f}) {
      y = _mm256_add_ps(_mm256_mul_ps(y, r), _mm256_set1_ps(coefficient));
    }
    y = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(y, _mm256_mul_ps(r, r)), r), _mm256_set1_ps(1.0f));
    const __m256i exponent = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(0x4b400000 - 127));
    return _mm256_mul_ps(y, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
  }

  static __m128 low(__m256 x) { return _mm256_castps256_ps128(x); }
  static __m128 high(__m256 x) { return _mm256_extractf128_ps(x, 1); }

  // The largest of eight, in every place of a 128-bit register.
  static __m128 largest(__m256 x) {
    __m128 m = _mm_max_ps(low(x), high(x));
    m = _mm_max_ps(m, _mm_shuffle_ps(m, m, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_max_ps(m, _mm_shuffle_ps(m, m, _MM_SHUFFLE(2, 3, 0, 1)));
  }

  static __m256 twice(__m128 x) { return _mm256_set_m128(x, x); }

  static __m256 magnitude(__m256 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }

  // Lowest place of the best score.
  static unsigned best_place(__m256 value, __m256 urgency, float exploration, float first_play) {
    // What lies behind the sixth edge are children: as floats they are denormal, and a product of one costs a hundred cycles. With -0 there, the first-play urgency
    // takes the place of the value, and that is -infinity behind the sixth edge.
    urgency = _mm256_blend_ps(urgency, _mm256_set1_ps(-0.0f), 0xc0);
    const __m256 unvisited = _mm256_blend_ps(_mm256_set1_ps(first_play), _mm256_set1_ps(-INFINITY), 0xc0);
    const __m256 known = _mm256_blendv_ps(value, unvisited, urgency);
    const __m256 score = _mm256_add_ps(known, _mm256_mul_ps(magnitude(urgency), _mm256_set1_ps(exploration)));
    const int places = _mm256_movemask_ps(_mm256_cmp_ps(score, twice(largest(score)), _CMP_EQ_OQ));
    return static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(places)));
  }

  // All ones in the place of an edge.
  static __m256 place_of(unsigned edge) {
    alignas(64) static constexpr std::uint64_t kPlaces[8] = {0xff, 0xff00, 0xff0000, 0xff000000, 0xff00000000, 0xff0000000000, 0xff000000000000, 0xff00000000000000};
    return _mm256_castsi256_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPlaces + edge))));
  }

  template <class N>
  static int choose_edge(const N& node, float exploration, float first_play) {
    return PlainKernel::choose_edge(node, exploration, first_play);
  }
  template <class Count>
  static int choose_edge(const Node<6, Count>& node, float exploration, float first_play) {
    return static_cast<int>(best_place(_mm256_loadu_ps(node.edge_value), _mm256_loadu_ps(node.edge_urgency), exploration, first_play));
  }

  template <class N>
  static int update_and_choose(N& node, int edge, float value, float urgency, float exploration, float first_play) {
    return PlainKernel::update_and_choose(node, edge, value, urgency, exploration, first_play);
  }
  // The new numbers join the others in registers: a load of eight that follows a store of one of them would wait for the store.
  template <class Count>
  static int update_and_choose(Node<6, Count>& node, int edge, float value, float urgency, float exploration, float first_play) {
    const __m256 here = place_of(static_cast<unsigned>(edge));
    const __m256 values = _mm256_blendv_ps(_mm256_loadu_ps(node.edge_value), _mm256_set1_ps(value), here);
    const __m256 urgencies = _mm256_blendv_ps(_mm256_loadu_ps(node.edge_urgency), _mm256_set1_ps(urgency), here);
    node.edge_value[edge] = value;
    node.edge_urgency[edge] = urgency;
    return static_cast<int>(best_place(values, urgencies, exploration, first_play));
  }
};

}  // namespace wari
