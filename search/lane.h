#pragma once

#include <cstdint>

#include "core/sowing.h"
#include "endgame/view.h"
#include "search/halving.h"
#include "search/settings.h"

namespace wari {

// What every lane reads and none writes. Plain pointers and numbers, so that it can live in device memory.
struct SearchParameters {
  const SowingTables* sowing = nullptr;
  const Rules* rules = nullptr;         // [rule sets]
  const EndgameView* endgames = nullptr;  // [rule sets]; null: no table
  bool table_estimates = true;            // values that are not proven count too
  const float* exploration = nullptr;   // [table_size] c(n) sqrt(n) at a node of n visits
  const float* reciprocal = nullptr;    // [table_size] 1 / n; 0 at 0
  std::int32_t table_size = 0;
  bool gumbel = true;
  std::int32_t gumbel_considered = 12;
  float c_puct = 0, c_puct_log_base = 0;
  float fpu_reduction = 0;
  float gumbel_c_visit = 0, gumbel_c_scale = 0, gumbel_noise = 0;
  float dirichlet_share = 0, dirichlet_alpha = 0, root_uniform_share = 0;
  float margin_weight = 0;
};

enum class LanePhase : std::uint8_t {
  idle,       // nothing to do: no game, no request
  fresh,      // a position that nobody has looked at
  root,       // the root waits for its evaluation
  searching,
  spent,      // the budget is used up or the root proven: the search has its result
};

inline constexpr std::int32_t kNoLeaf = -1;

// One search in its lane. Lanes keep their own time: nothing here depends on the other lanes.
struct alignas(64) SearchLane {
  std::int32_t leaf = kNoLeaf;       // node that waits for its evaluation
  LanePhase phase = LanePhase::idle;
  std::uint8_t rules_index = 0;
  bool noisy = false;                // noise at this root
  std::uint8_t bad_outputs = 0;      // evaluations of this search that were not finite
  std::int32_t simulations = 0;      // done
  std::int32_t budget = 0;
  std::int32_t node_count = 0;
  // Sums over all evaluations, of the root's mover.
  float draw_sum = 0, margin_sum = 0;
  std::int32_t depth = 0;            // of the last descent: `parent` is this many moves below the root
  std::uint32_t parent = 0;          // node where the last descent stopped
  std::uint32_t child = 0;           // its child there, index alone: 0 if it must be made, else proven
  std::uint32_t listed = 0;          // 1: the nodes of the last descent are in its group's list (GroupDescendStep)
  Halving halving;                   // of the root's moves, under Gumbel
  std::int32_t root_quiet = 0;       // history[root_quiet] is the root
  std::uint32_t ply = 0;             // with seed and game the key of the root's random numbers
  const Position* history = nullptr; // positions since the last capture, oldest first
  std::uint64_t history_filter[2] = {}; // filter_bit() of the history's positions, by the parity of their place: what is not marked did not occur
  std::uint64_t seed = 0, game = 0;
  std::int32_t node_capacity = 0;
  std::uint32_t evaluations = 0;     // leaves and roots offered to a device's evaluator since its log was drained (CountStep)
};
static_assert(sizeof(SearchLane) == 128);

// What only the root of a search has.
template <int Edges>
struct RootData {
  float logit[Edges];                // of the evaluator; illegal edges 0
  float noisy_logit[Edges];          // with the Gumbel draw; PUCT: no meaning
  float prior[Edges];                // without noise
  float network_value;
};

}  // namespace wari
