#include "arena/gate.h"

#include <fmt/format.h>

#include "arena/name_number.h"
#include "core/error.h"
#include "core/random.h"

namespace wari {

void check_gate(const GateSettings& settings) {
  if (settings.rule == GateRule::none) return;
  if (settings.games % 2 != 0) throw Error(fmt::format("evaluation.gate.games must be even: '{}': each opening is played from both seats", settings.games));
  if (settings.rule == GateRule::sprt && settings.elo1 <= settings.elo0)
    throw Error(fmt::format("evaluation.gate.elo1 must be above elo0: '{}': elo0 is {}", settings.elo1, settings.elo0));
}

MatchSettings gate_match(const GateSettings& settings, const Rules& rules, int opening_plies, std::uint64_t seed, std::int64_t iteration) {
  MatchSettings match;
  match.rules = rules;
  match.games = settings.games;
  match.opening_plies = opening_plies;
  match.seed = mix64(seed ^ mix64(static_cast<std::uint64_t>(iteration) ^ name_number("gate")));
  if (settings.rule == GateRule::sprt) match.sprt = SprtSettings{settings.elo0, settings.elo1, settings.alpha, settings.beta};
  return match;
}

bool gate_accepts(const GateSettings& settings, const MatchResult& result) {
  if (settings.rule == GateRule::sprt) return result.sprt && result.sprt->decision() == SprtDecision::h1;
  return settings.rule == GateRule::none || result.total.score() > settings.score;
}

}  // namespace wari
