#pragma once

#include <cstdint>

#include "arena/match.h"

// Whether a new network may play: an option of the training loop. Without it the newest always plays, which learns faster as long as training is sound.
namespace wari {

enum class GateRule : std::uint8_t { none, score, sprt };

struct GateSettings {
  GateRule rule = GateRule::none;
  int every = 1;       // iterations
  int games = 200;     // with sprt at most
  double score = 0.5;  // rule score: accepted above it
  double elo0 = -20;   // rule sprt: accepted where H1 is
  double elo1 = 10;
  double alpha = 0.05;
  double beta = 0.05;

  template <class Visitor>
  void fields(Visitor& v) {
    v.choice("rule", rule, {"none", "score", "sprt"},
             "which networks play: none: always the newest; score: one that scored above `score` against the one that plays; sprt: one for which a sequential "
             "test accepts H1");
    v.number("every", every, 1, 1000000, "iterations between matches of the newest network against the one that plays");
    v.number("games", games, 2, 1000000, "games of such a match, in pairs from one opening; even; with sprt at most: undecided is rejected");
    v.number("score", score, 0.0, 1.0, "share of points above which the newest is accepted; all draws are 0.5, which is not above 0.5");
    v.number("elo0", elo0, -1000.0, 1000.0, "H0 of the sequential test: the newest is so much stronger; negative: weaker");
    v.number("elo1", elo1, -1000.0, 1000.0, "H1, above elo0");
    v.number("alpha", alpha, 1e-6, 0.49, "chance that the test accepts a network of H0");
    v.number("beta", beta, 1e-6, 0.49, "chance that it rejects one of H1");
  }
};

struct GateReport {
  bool accepted = false;
  std::int64_t against = 0;  // the iteration whose network played so far; 0: none, then the newest is accepted without a match
  MatchResult result;
};

// Throws Error where the settings contradict each other.
void check_gate(const GateSettings& settings);
MatchSettings gate_match(const GateSettings& settings, const Rules& rules, int opening_plies, std::uint64_t seed, std::int64_t iteration);
bool gate_accepts(const GateSettings& settings, const MatchResult& result);

}  // namespace wari
