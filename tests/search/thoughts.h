#pragma once

#include <memory>
#include <vector>

#include "search/thinker.h"
#include "tests/search/search_requests.h"

// Long searches of given positions, for their tests.
namespace wari {

inline ThinkerSettings one_at_a_time() {
  ThinkerSettings settings;
  settings.search.algorithm = Algorithm::puct;
  settings.batch = 1;
  return settings;
}

inline ThinkerSettings many_at_once(int workers = 1) {
  ThinkerSettings settings = one_at_a_time();
  settings.batch = 0;
  settings.workers = workers;
  settings.visits_a_leaf = 4;  // large batches soon
  return settings;
}

inline ThinkLimits visits(std::int64_t count) { return {count, {}, {}}; }

inline Thought think_once(const ThinkerSettings& settings, const Game& game, std::int64_t count, const Evaluator& evaluator) {
  const auto thinker = make_thinker(settings, evaluator);
  thinker->set_game(game);
  return thinker->think(visits(count));
}

inline int visits_of(const RootResult& result) {
  int sum = 0;
  for (const RootAction& action : result.actions) sum += action.visits;
  return sum;
}

// Positions of all rule sets, most of them with a game behind them, so that repetition and quiet plies matter.
inline std::vector<Game> many_games(int count) {
  std::vector<Game> games;
  const std::vector<Rules> sets = many_rule_sets(10);
  for (std::uint64_t number = 0; static_cast<int>(games.size()) < count; ++number) {
    Game game(sets[number % sets.size()], random_position(sets[number % sets.size()], 90000 + number));
    for (std::uint32_t ply = 0; ply < number % 40 && !game.is_over(); ++ply) {
      int action = static_cast<int>(test_draw(number, 100 + ply, kActions));
      while (((game.legal() >> action) & 1) == 0) action = (action + 1) % kActions;
      game.play(action);
    }
    if (game.is_over()) continue;
    games.push_back(game);
  }
  return games;
}

}  // namespace wari
