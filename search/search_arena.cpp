#include "search/search_arena.h"

namespace wari {

SearchParameters search_parameters(const SearchSettings& settings) {
  SearchParameters parameters;
  parameters.gumbel = settings.algorithm == Algorithm::gumbel;
  parameters.gumbel_considered = settings.gumbel_considered;
  parameters.c_puct = static_cast<float>(settings.c_puct);
  parameters.c_puct_log_base = static_cast<float>(settings.c_puct_log_base);
  parameters.fpu_reduction = static_cast<float>(settings.fpu_reduction);
  parameters.gumbel_c_visit = static_cast<float>(settings.gumbel_c_visit);
  parameters.gumbel_c_scale = static_cast<float>(settings.gumbel_c_scale);
  parameters.gumbel_noise = static_cast<float>(settings.gumbel_noise);
  parameters.dirichlet_share = static_cast<float>(settings.dirichlet_share);
  parameters.dirichlet_alpha = static_cast<float>(settings.dirichlet_alpha);
  parameters.root_uniform_share = static_cast<float>(settings.root_uniform_share);
  parameters.margin_weight = static_cast<float>(settings.margin_weight);
  return parameters;
}

void fill_tables(const SearchParameters& parameters, std::span<float> exploration, std::span<float> reciprocal) {
  for (std::size_t n = 0; n < exploration.size(); ++n) exploration[n] = exploration_formula(parameters, static_cast<std::int32_t>(n));
  for (std::size_t n = 0; n < reciprocal.size(); ++n) reciprocal[n] = n == 0 ? 0.0f : 1.0f / static_cast<float>(n);
}

}  // namespace wari
