#pragma once

#include <algorithm>
#include <cmath>

#include "search/answer.h"
#include "search/batch_search.h"

// A search's answer as callers read it.
namespace wari {

// A proven value by who won; without a margin's share it is that already.
inline float exact_value(float value) { return value > 0 ? 1.0f : value < 0 ? -1.0f : 0.0f; }

template <int Edges>
RootResult result_of(const SearchAnswer<Edges>& answer, const Rules& rules) {
  RootResult result;
  result.best = answer.best;
  result.simulations = answer.simulations;
  for (int e = 0; e < Edges; ++e) {
    if (((answer.legal >> e) & 1) == 0) continue;
    const bool proven = ((answer.proven >> e) & 1) != 0;
    const float value = answer.summary.values[e];
    result.actions.push_back({e, answer.summary.visits[e], answer.prior[e], answer.summary.policy[e], proven ? exact_value(value) : value, proven});
    if (e != answer.best) continue;
    result.proven = proven;
    result.value = result.actions.back().value;
  }
  // Win, draw and loss of the best move, so that win minus loss is its value.
  const float value = std::clamp(result.value, -1.0f, 1.0f);
  const float draw = std::min(result.proven ? (value == 0 ? 1.0f : 0.0f) : answer.draw, 1.0f - std::fabs(value));
  result.wdl[0] = (1.0f - draw + value) * 0.5f;
  result.wdl[1] = draw;
  result.wdl[2] = (1.0f - draw - value) * 0.5f;
  result.margin = answer.margin * static_cast<float>(rules.total_seeds());
  result.line.assign(answer.line, answer.line + answer.line_length);
  return result;
}

}  // namespace wari
