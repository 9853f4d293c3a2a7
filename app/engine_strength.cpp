#include "app/engine_strength.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/random.h"

namespace wari {
namespace {

struct Measured {
  int elo;
  double visits;
  double sharpness;  // 1 / temperature
};

// Of the quickstart's network against random, greedy and alpha-beta (docs/engine.md); between two of them the visits go geometrically and the sharpness evenly.
constexpr std::array<Measured, 6> kScale = {{{kLowestElo, 16, 0}, {350, 16, 0.5}, {800, 16, 1}, {1550, 16, 2}, {2050, 16, 4}, {kHighestElo, 64, 16}}};

}  // namespace

Strength strength_of_elo(int elo) {
  const double wanted = std::clamp(elo, kLowestElo, kHighestElo);
  const auto above = std::find_if(kScale.begin() + 1, kScale.end() - 1, [&](const Measured& entry) { return wanted <= entry.elo; });
  const Measured &low = *(above - 1), &high = *above;
  const double share = (wanted - low.elo) / (high.elo - low.elo);
  const double sharpness = low.sharpness + share * (high.sharpness - low.sharpness);
  return {std::llround(low.visits * std::pow(high.visits / low.visits, share)), 1 / std::max(sharpness, 1e-9)};
}

int choose_move(const RootResult& result, const Strength& strength, std::uint64_t key) {
  if (strength.temperature == 0 || result.actions.empty()) return result.best;
  int most = 0;
  for (const RootAction& action : result.actions) most = std::max(most, action.visits);
  const auto weight = [&](const RootAction& action) { return std::pow((action.visits + 1.0) / (most + 1.0), 1 / strength.temperature); };
  double sum = 0;
  for (const RootAction& action : result.actions) sum += weight(action);
  double left = sum * random_unit(random_bits(key, 0, 0, Purpose::move_choice, 0));
  for (const RootAction& action : result.actions) {
    left -= weight(action);
    if (left < 0) return action.action;
  }
  return result.best;
}

}  // namespace wari
