#pragma once

#include <immintrin.h>

#include <type_traits>

#include "search/avx_kernel.h"
#include "search/steps.h"

namespace wari {

// Opens the leaves of eight lanes at once, a lane in each place of an AVX2 register: the exponentials of eight softmaxes cost as much as those of one. The same bits as
// OpenStep<PlainKernel>, which it calls for rows that are not finite and for what is left over of eight.
template <class N>
struct AvxOpenStep {
  SearchView<N> view;
  static constexpr int kLanesAtOnce = 8;
  static constexpr int kEdges = N::kEdges;

  void operator()(int index) const { OpenStep<PlainKernel, N>{view}(index); }

  void group(int first, int last) const {
    for (; first + kLanesAtOnce <= last; first += kLanesAtOnce) eight(first);
    for (; first < last; ++first) (*this)(first);
  }

 private:
  // Lanes first .. first + 7.
  void eight(int first) const {
    N* nodes[8];
    alignas(32) std::int32_t legal[8];
    N nowhere;
    nowhere.legal = 1;
    for (int i = 0; i < 8; ++i) {
      const std::int32_t leaf = view.lanes[first + i].leaf;
      nodes[i] = leaf < 0 ? &nowhere : view.tree(first + i) + leaf;
      legal[i] = nodes[i]->legal;
    }
    const float* const outputs = view.leaves.outputs + static_cast<std::int64_t>(first) * kOutputs;
    const __m256i legal_masks = _mm256_load_si256(reinterpret_cast<const __m256i*>(legal));
    const int finite = write_values(first, outputs) & write_priors(nodes, legal_masks, outputs);
    if (finite == 255) [[likely]] return;
    for (int i = 0; i < 8; ++i) {
      if (((finite >> i) & 1) == 0 && nodes[i] != &nowhere) OpenStep<PlainKernel, N>{view}(first + i);
    }
  }

  // Four columns of eight rows of outputs: place i of columns[c] is outputs[i][column + c].
  static void load_columns(const float* outputs, int column, __m256* columns /* [4] */) {
    __m256 rows[4];
    for (int i = 0; i < 4; ++i) {
      rows[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(outputs + i * kOutputs + column)), _mm_loadu_ps(outputs + (i + 4) * kOutputs + column), 1);
    }
    turn(rows, columns);
  }

  // Transposes 4 x 4 in both halves.
  static void turn(const __m256* rows, __m256* columns) {
    const __m256 a = _mm256_unpacklo_ps(rows[0], rows[1]), b = _mm256_unpacklo_ps(rows[2], rows[3]);
    const __m256 c = _mm256_unpackhi_ps(rows[0], rows[1]), d = _mm256_unpackhi_ps(rows[2], rows[3]);
    columns[0] = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0));
    columns[1] = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2));
    columns[2] = _mm256_shuffle_ps(c, d, _MM_SHUFFLE(1, 0, 1, 0));
    columns[3] = _mm256_shuffle_ps(c, d, _MM_SHUFFLE(3, 2, 3, 2));
  }

  static __m256 is_finite(__m256 x) { return _mm256_cmp_ps(AvxKernel::magnitude(x), _mm256_set1_ps(kFiniteLimit), _CMP_LT_OQ); }

  // Win, draw and loss to values; returns the rows that are finite.
  int write_values(int first, const float* outputs) const {
    __m256 columns[4];
    load_columns(outputs, kWdlOutput, columns);
    const __m256 finite = _mm256_and_ps(_mm256_and_ps(is_finite(columns[0]), is_finite(columns[1])), _mm256_and_ps(is_finite(columns[2]), is_finite(columns[3])));
    const __m256 best = _mm256_max_ps(_mm256_max_ps(columns[0], columns[1]), columns[2]);
    const __m256 win = AvxKernel::exponentials(_mm256_sub_ps(columns[0], best));
    const __m256 draw = AvxKernel::exponentials(_mm256_sub_ps(columns[1], best));
    const __m256 loss = AvxKernel::exponentials(_mm256_sub_ps(columns[2], best));
    const __m256 scale = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_add_ps(_mm256_add_ps(win, draw), loss));
    const __m256 margin = _mm256_min_ps(_mm256_max_ps(columns[3], _mm256_set1_ps(-1.0f)), _mm256_set1_ps(1.0f));
    const __m256 result = _mm256_sub_ps(_mm256_mul_ps(win, scale), _mm256_mul_ps(loss, scale));
    const __m256 weight = _mm256_set1_ps(view.parameters->margin_weight);
    const __m256 value = _mm256_add_ps(result, _mm256_mul_ps(weight, _mm256_sub_ps(margin, result)));
    _mm256_storeu_ps(view.leaves.value + first, value);
    _mm256_storeu_ps(view.leaves.draw + first, _mm256_mul_ps(draw, scale));
    _mm256_storeu_ps(view.leaves.margin + first, margin);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(view.leaves.bad + first), _mm_setzero_si128());
    return _mm256_movemask_ps(finite);
  }

  static __m256 edge_mask(__m256i legal, int edge) {
    const __m256i bit = _mm256_set1_epi32(1 << edge);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(legal, bit), bit));
  }

  // The sum in the order of folded_sum(), without adding zeros.
  static __m256 folded(const __m256* x) {
    if constexpr (kEdges == 6) {
      return _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(x[0], x[4]), x[2]), _mm256_add_ps(_mm256_add_ps(x[1], x[5]), x[3]));
    } else {
      __m256 part[8];
      for (int i = 0; i < 8; ++i) part[i] = i < 4 ? _mm256_add_ps(x[i], x[i + 8]) : x[i];
      return _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(part[0], part[4]), _mm256_add_ps(part[2], part[6])),
                           _mm256_add_ps(_mm256_add_ps(part[1], part[5]), _mm256_add_ps(part[3], part[7])));
    }
  }

  // Softmax over the legal edges, edges and favourites written; returns the rows whose legal logits are finite.
  static int write_priors(N* const* nodes, __m256i legal, const float* outputs) {
    constexpr int kColumns = kEdges == 6 ? 8 : 12;
    __m256 share[kColumns];
    for (int column = 0; column < kColumns; column += 4) load_columns(outputs, column, share + column);
    const __m256 minus_infinity = _mm256_set1_ps(-INFINITY);
    __m256 best = minus_infinity;
    __m256 finite = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int e = 0; e < kEdges; ++e) {
      const __m256 mask = edge_mask(legal, e);
      finite = _mm256_and_ps(finite, _mm256_or_ps(is_finite(share[e]), _mm256_cmp_ps(mask, mask, _CMP_ORD_Q)));
      best = _mm256_max_ps(best, _mm256_blendv_ps(minus_infinity, share[e], mask));
    }
    for (int e = 0; e < kEdges; ++e) {
      const __m256 mask = edge_mask(legal, e);
      share[e] = _mm256_and_ps(AvxKernel::exponentials(_mm256_and_ps(_mm256_sub_ps(share[e], best), mask)), mask);
    }
    const __m256 scale = _mm256_div_ps(_mm256_set1_ps(1.0f), folded(share));
    __m256i units[kColumns] = {};
    __m256i most = _mm256_set1_epi32(0), favourite = _mm256_setzero_si256();
    for (int e = 0; e < kEdges; ++e) {
      const __m256 prior = _mm256_mul_ps(share[e], scale);
      __m256i unit = _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(prior, _mm256_set1_ps(65535.0f)), _mm256_set1_ps(0.5f)));
      unit = _mm256_min_epi32(_mm256_max_epi32(unit, _mm256_set1_epi32(1)), _mm256_set1_epi32(65535));
      units[e] = _mm256_and_si256(unit, _mm256_castps_si256(edge_mask(legal, e)));
      const __m256i more = _mm256_cmpgt_epi32(units[e], most);
      most = _mm256_blendv_epi8(most, units[e], more);
      favourite = _mm256_blendv_epi8(favourite, _mm256_set1_epi32(e), more);
    }
    alignas(32) std::int32_t favourites[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(favourites), favourite);
    for (int i = 0; i < 8; ++i) {
      nodes[i]->best_edge = static_cast<std::uint8_t>(favourites[i]);
      nodes[i]->best_child = 0;
    }
    store_edges(nodes, units);
    return _mm256_movemask_ps(finite);
  }

  // Any layout.
  static void store_edges(N* const* nodes, const __m256i* units) {
    if constexpr (std::is_same_v<N, NarrowNode6>) return store_narrow_edges(nodes, units);
    alignas(32) std::int32_t rows[kEdges][8];
    for (int e = 0; e < kEdges; ++e) _mm256_store_si256(reinterpret_cast<__m256i*>(rows[e]), units[e]);
    for (int i = 0; i < 8; ++i) {
      N& node = *nodes[i];
      for (int e = 0; e < kEdges; ++e) {
        node.prior[e] = static_cast<std::uint16_t>(rows[e][i]);
        node.edge_visits[e] = 0;
        node.edge_value[e] = rows[e][i] != 0 ? 0.0f : -INFINITY;
        node.edge_urgency[e] = rows[e][i] != 0 ? static_cast<float>(rows[e][i]) * -kPriorUnit : 0.0f;
        node.child[e] = 0;
      }
    }
  }

  // Two rows at a time from both halves; stores run over into fields that become zero anyway.
  static void store_narrow_edges(N* const* nodes, const __m256i* units /* [8], the last two zero */) {
    __m256 columns[8], rows[8];
    for (int e = 0; e < 8; ++e) columns[e] = _mm256_castsi256_ps(units[e]);
    turn(columns, rows);          // rows[i]: edges 0..3 of lanes i and i + 4
    turn(columns + 4, rows + 4);  // rows[4 + i]: edges 4..7
    for (int i = 0; i < 4; ++i) {
      const __m256i left = _mm256_castps_si256(rows[i]), right = _mm256_castps_si256(rows[4 + i]);
      const __m256i packed = _mm256_packus_epi32(left, right);
      const __m256 illegal_left = _mm256_castsi256_ps(_mm256_cmpeq_epi32(left, _mm256_setzero_si256()));
      const __m256 illegal_right = _mm256_castsi256_ps(_mm256_cmpeq_epi32(right, _mm256_setzero_si256()));
      const __m256 infinity = _mm256_set1_ps(-INFINITY), unit = _mm256_set1_ps(-kPriorUnit);
      const __m256 value_left = _mm256_and_ps(illegal_left, infinity), value_right = _mm256_and_ps(illegal_right, infinity);
      // Zero with a sign would read as an edge without a visit.
      const __m256 urgency_left = _mm256_andnot_ps(illegal_left, _mm256_mul_ps(_mm256_cvtepi32_ps(left), unit));
      const __m256 urgency_right = _mm256_andnot_ps(illegal_right, _mm256_mul_ps(_mm256_cvtepi32_ps(right), unit));
      store_row(*nodes[i], _mm256_castsi256_si128(packed), AvxKernel::low(value_left), AvxKernel::low(value_right), AvxKernel::low(urgency_left), AvxKernel::low(urgency_right));
      store_row(*nodes[i + 4], _mm256_extracti128_si256(packed, 1), AvxKernel::high(value_left), AvxKernel::high(value_right), AvxKernel::high(urgency_left), AvxKernel::high(urgency_right));
    }
  }

  static void store_row(N& node, __m128i prior, __m128 value_left, __m128 value_right, __m128 urgency_left, __m128 urgency_right) {
    static_assert(offsetof(NarrowNode6, edge_visits) == offsetof(NarrowNode6, prior) + 12 && offsetof(NarrowNode6, child) == offsetof(NarrowNode6, edge_urgency) + 24);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(node.prior), prior);  // prior, first two edge_visits
    _mm_storel_epi64(reinterpret_cast<__m128i*>(node.edge_visits + 2), _mm_setzero_si128());
    _mm_storeu_ps(node.edge_value, value_left);
    _mm_storel_pi(reinterpret_cast<__m64*>(node.edge_value + 4), value_right);
    _mm_storeu_ps(node.edge_urgency, urgency_left);
    _mm_storeu_ps(node.edge_urgency + 4, urgency_right);  // and four children
    _mm_storel_epi64(reinterpret_cast<__m128i*>(node.child + 2), _mm_setzero_si128());
  }
};

}  // namespace wari
