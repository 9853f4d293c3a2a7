#include "cuda/rules_check.h"

#include "core/game.h"
#include "cuda/rules_trace.h"

namespace wari {

std::vector<GameTrace> trace_games_on_host(const Rules& rules, std::uint64_t seed, int games) {
  std::vector<GameTrace> traces;
  for (int game = 0; game < games; ++game) traces.push_back(trace_game(sowing_tables(), rules, start_position(rules), seed, static_cast<std::uint64_t>(game)));
  return traces;
}

}  // namespace wari
