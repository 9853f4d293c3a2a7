#pragma once

#include "search/noise.h"
#include "search/outputs.h"

// The root of a search: noise, the halving's choice, and the result.
namespace wari {

// Where the next simulation goes under sequential halving: among the moves with the visits that are due, the highest logit + Gumbel draw + sigma(Q).
// Moves without a visit have equal completed Q, so it may be left out.
template <class N>
WARI_HD inline int choose_considered(const SearchParameters& parameters, const N& root, const RootData<N::kEdges>& data, const Halving& halving) {
  const std::int32_t most = halving.considered_visit + (halving.left < halving.considered ? 1 : 0);
  const float sigma = (parameters.gumbel_c_visit + static_cast<float>(most)) * parameters.gumbel_c_scale;
  const auto due = static_cast<std::uint32_t>(halving.considered_visit);
  int best = -1;
  float best_score = -INFINITY;
  for (int e = 0; e < N::kEdges; ++e) {
    const bool candidate = ((root.legal >> e) & 1) != 0 && root.edge_visits[e] == due;
    const float score = data.noisy_logit[e] + (due == 0 ? 0.0f : sigma * root.edge_value[e]);
    if (candidate && (best < 0 || score > best_score)) {
      best = e;
      best_score = score;
    }
  }
  return best;
}

template <class N>
WARI_HD inline void store_considered_edge(const SearchParameters& parameters, N& root, const RootData<N::kEdges>& data, const Halving& halving) {
  const int edge = choose_considered(parameters, root, data, halving);
  root.best_edge = static_cast<std::uint8_t>(edge);
  root.best_child = root.child[edge];
}

// Begins the search of an opened root: noise in the priors (PUCT) or on the logits (Gumbel), once per search and nowhere else.
template <class Kernel, class N>
WARI_HD inline void begin_root(const SearchParameters& parameters, N& root, RootData<N::kEdges>& data, SearchLane& lane, const LeafValue& leaf, const float* outputs /* [kOutputs] */, bool finite) {
  masked_softmax<N::kEdges>(outputs + kPolicyOutput, root.legal, data.prior);
  data.network_value = leaf.value;
  lane.draw_sum = leaf.draw;
  lane.margin_sum = leaf.margin;
  const NoiseKey key{lane.seed, lane.game, lane.ply};
  int moves = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    const bool legal = (root.legal >> e) & 1;
    moves += legal ? 1 : 0;
    data.logit[e] = legal ? (finite ? outputs[kPolicyOutput + e] : exact_log(data.prior[e])) : 0.0f;
    data.noisy_logit[e] = data.logit[e];
    if (legal && parameters.gumbel && lane.noisy && parameters.gumbel_noise > 0) {
      data.noisy_logit[e] += parameters.gumbel_noise * gumbel_from_bits(key.bits(Purpose::gumbel, static_cast<std::uint32_t>(e)));
    }
  }
  if (parameters.gumbel) {
    lane.halving.begin(moves < parameters.gumbel_considered ? moves : parameters.gumbel_considered, lane.budget);
    store_considered_edge(parameters, root, data, lane.halving);
  } else {
    const bool noisy = lane.noisy && parameters.dirichlet_share > 0;
    if (!noisy && parameters.root_uniform_share == 0) return;
    float* const prior = data.noisy_logit;  // not needed here, and an array of our own would lie in a GPU's slow memory
    if (noisy) shaped_dirichlet<N::kEdges>(key, data.prior, root.legal, parameters.dirichlet_alpha, prior);
    const float share = parameters.root_uniform_share, equal = 1.0f / static_cast<float>(moves);
    for (int e = 0; e < N::kEdges; ++e) {
      prior[e] = noisy ? data.prior[e] + parameters.dirichlet_share * (prior[e] - data.prior[e]) : data.prior[e];
      if (share > 0 && ((root.legal >> e) & 1) != 0) prior[e] += share * (equal - prior[e]);
    }
    write_edges(root, prior);
    store_best_edge<Kernel>(parameters, root);
  }
}

// Visits of the root's edges when a proven root ended the search early: what was left of the budget goes to the best proven edge.
template <class N>
WARI_HD inline void credited_visits(const N& root, const SearchLane& lane, std::int32_t* visits /* [kEdges] */) {
  int best = -1;
  for (int e = 0; e < N::kEdges; ++e) {
    visits[e] = static_cast<std::int32_t>(root.edge_visits[e]);
    if (((root.proven_edges >> e) & 1) != 0 && (best < 0 || root.edge_value[e] > root.edge_value[best])) best = e;
  }
  const std::int32_t left = (root.flags & kNodeProven) != 0 ? lane.budget - lane.simulations : 0;
  for (int e = 0; e < N::kEdges; ++e) visits[e] += e == best ? left : 0;  // no index at run time: a GPU would keep the array in memory
}

// Values of all moves: Q where there are visits, elsewhere a mix of the network's value and the visited moves' Q (Danihelka et al. 2022, appendix D).
template <class N>
WARI_HD inline void completed_values(const N& root, const RootData<N::kEdges>& data, float* values /* [kEdges] */) {
  float prior_sum = 0, weighted = 0, visits = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    if (root.edge_visits[e] == 0) continue;
    prior_sum += data.prior[e];
    weighted += data.prior[e] * root.edge_value[e];
    visits += static_cast<float>(root.edge_visits[e]);
  }
  const float mixed = prior_sum > 0 ? (data.network_value + visits * (weighted / prior_sum)) / (1.0f + visits) : data.network_value;
  for (int e = 0; e < N::kEdges; ++e) values[e] = root.edge_visits[e] == 0 ? mixed : root.edge_value[e];
}

WARI_HD inline float sigma_factor(const SearchParameters& parameters, std::int32_t most_visits) {
  return (parameters.gumbel_c_visit + static_cast<float>(most_visits)) * parameters.gumbel_c_scale;
}

// The result of a finished search as the root's mover sees it.
template <int Edges>
struct RootSummary {
  std::int32_t visits[Edges];   // sum to the budget
  float values[Edges];          // completed
  float policy[Edges];          // improved policy: completed Q (Gumbel) or visit shares (PUCT); sums to 1
  std::uint32_t candidates;     // moves that may be played: a proven win if there is one, else no proven loss while another is left
};

template <class N>
WARI_HD inline void summarise(const SearchParameters& parameters, const N& root, const RootData<N::kEdges>& data, const SearchLane& lane, RootSummary<N::kEdges>& summary) {
  constexpr int kEdges = N::kEdges;
  credited_visits(root, lane, summary.visits);
  completed_values(root, data, summary.values);
  std::int32_t most = 0, total = 0;
  std::uint32_t wins = 0, losses = 0;
  for (int e = 0; e < kEdges; ++e) {
    most = summary.visits[e] > most ? summary.visits[e] : most;
    total += summary.visits[e];
    const bool proven = ((root.proven_edges >> e) & 1) != 0;
    if (proven && root.edge_value[e] > 0) wins |= 1u << e;
    if (proven && root.edge_value[e] < 0) losses |= 1u << e;
  }
  summary.candidates = wins != 0 ? wins : (losses != root.legal ? root.legal & ~losses : root.legal);
  if (parameters.gumbel || total == 0) {
    const float sigma = total == 0 ? 0.0f : sigma_factor(parameters, most);
    float logits[kEdges];
    for (int e = 0; e < kEdges; ++e) logits[e] = (root.legal >> e) & 1 ? data.logit[e] + sigma * summary.values[e] : 0.0f;
    masked_softmax<kEdges>(logits, root.legal, summary.policy);
  } else {
    for (int e = 0; e < kEdges; ++e) summary.policy[e] = static_cast<float>(summary.visits[e]) / static_cast<float>(total);
  }
}

// The move to play without a draw. Gumbel: the survivor of the halving with the highest (noisy) logit + sigma(completed Q). PUCT: most visits, ties by value, then by pit.
template <class N>
WARI_HD inline int best_action(const SearchParameters& parameters, const RootData<N::kEdges>& data, const RootSummary<N::kEdges>& summary) {
  std::int32_t most = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    if ((summary.candidates >> e) & 1) most = summary.visits[e] > most ? summary.visits[e] : most;
  }
  const float sigma = sigma_factor(parameters, most);
  int best = -1;
  float best_score = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    if (((summary.candidates >> e) & 1) == 0 || summary.visits[e] != most) continue;
    const float score = parameters.gumbel ? data.noisy_logit[e] + sigma * summary.values[e] : (most == 0 ? data.prior[e] : summary.values[e]);
    if (best < 0 || score > best_score) {
      best = e;
      best_score = score;
    }
  }
  return best;
}

// PUCT while the root is noisy: a draw by the visits, sharpened or flattened by the temperature (0: as best_action()).
template <class N>
WARI_HD inline int sampled_action(const SearchParameters& parameters, const RootData<N::kEdges>& data, const RootSummary<N::kEdges>& summary, float temperature, float unit) {
  std::int32_t most = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    if ((summary.candidates >> e) & 1) most = summary.visits[e] > most ? summary.visits[e] : most;
  }
  if (temperature < 1e-3f || most == 0) return best_action<N>(parameters, data, summary);
  float weight[N::kEdges];
  float sum = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    weight[e] = 0;
    if (((summary.candidates >> e) & 1) == 0 || summary.visits[e] == 0) continue;
    const float share = static_cast<float>(summary.visits[e]) / static_cast<float>(most);
    weight[e] = temperature == 1.0f ? share : exact_exp(exact_log(share) / temperature);
    sum += weight[e];
  }
  float target = unit * sum;
  int chosen = -1;
  for (int e = 0; e < N::kEdges; ++e) {
    if (weight[e] <= 0) continue;
    chosen = e;
    target -= weight[e];
    if (target < 0) break;
  }
  return chosen;
}

}  // namespace wari
