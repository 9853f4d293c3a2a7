#include "selfplay/rules_mix.h"

#include <fmt/core.h>

#include "core/error.h"

namespace wari {

RulesMix make_rules_mix(const std::vector<std::pair<std::string, int>>& weights) {
  constexpr int kMostWeight = 10'000;
  if (weights.empty()) throw Error("no rule set: rules: name one, such as 'abapa', or several with weights");
  if (weights.size() > 255) throw Error(fmt::format("{} rule sets: rules: at most 255 in one run", weights.size()));
  RulesMix mix;
  for (const auto& [name, weight] : weights) {
    const Rules rules = parse_rules(name);
    if (rules.quiet_plies == 0) throw Error(fmt::format("'{}' has quiet_plies 0, so a game might never end: rules: give a limit of 1 to 10000 plies", name));
    for (const Rules& other : mix.rules) {
      if (other == rules) throw Error(fmt::format("'{}' is given twice: rules: name each rule set once and add the weights", name));
    }
    if (weight < 1) throw Error(fmt::format("weight {} of '{}': rules: weights are whole numbers from 1", weight, name));
    if (static_cast<int>(mix.cycle.size()) + weight > kMostWeight) throw Error(fmt::format("the weights sum to more than {}: rules: give smaller ones", kMostWeight));
    mix.cycle.insert(mix.cycle.end(), static_cast<std::size_t>(weight), static_cast<std::uint8_t>(mix.rules.size()));
    mix.rules.push_back(rules);
  }
  return mix;
}

}  // namespace wari
