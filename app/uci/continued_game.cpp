#include "app/uci/continued_game.h"

#include <algorithm>
#include <optional>

namespace wari {
namespace {

constexpr int kPliesBetween = 3;  // from the position searched last: the own move, the opponent's, or two of one player

bool begins_anew_at(const Game& game, const Position& start) { return game.quiet_plies() == 0 && game.position() == start; }

// Goes on to a capture that leads to `start`.
bool find_start(Game& game, const Position& start, int plies) {
  if (begins_anew_at(game, start)) return true;
  if (plies == 0) return false;
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    game.play(action);
    if (find_start(game, start, plies - 1)) return true;
    game.take_back();
  }
  return false;
}

bool is_same_game(const Game& before, const Game& now) {
  const auto one = before.actions(), other = now.actions();
  return before.start() == now.start() && std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(std::min(one.size(), other.size())), other.begin());
}

}  // namespace

Game continued_game(const Game& before, const Game& now) {
  if (!(before.rules() == now.rules()) || is_same_game(before, now)) return now;
  Game game = before;
  while (game.plies() > 0 && !begins_anew_at(game, now.start())) game.take_back();
  if (game.plies() == 0) {
    game = before;
    if (!find_start(game, now.start(), kPliesBetween)) return now;
  }
  for (const std::uint8_t action : now.actions()) {
    if (((game.legal() >> action) & 1) == 0) return now;  // never, by the rules
    game.play(action);
  }
  return game.end() == now.end() ? game : now;
}

}  // namespace wari
