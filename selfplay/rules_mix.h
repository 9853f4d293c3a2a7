#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/rules.h"

namespace wari {

// The rule sets that a run plays. In a mix (whole weights, W their sum) game g plays the set at place (g / 128) mod W of the list in which each set stands as
// often as its weight.
struct RulesMix {
  std::vector<Rules> rules;            // distinct; samples and records hold indices into this
  std::vector<std::uint8_t> cycle;     // [W] indices into `rules`

  std::uint8_t index_of_game(std::int64_t game) const { return cycle[static_cast<std::size_t>(game / 128) % cycle.size()]; }
};

// From the configuration's key `rules`: RULES and their weights. Throws Error for no set, a set given twice, weights that sum to more than 10,000, and for
// `quiet_plies: 0`, under which a game might never end.
RulesMix make_rules_mix(const std::vector<std::pair<std::string, int>>& weights);
inline RulesMix single_rules(const Rules& rules) { return {{rules}, {0}}; }

}  // namespace wari
