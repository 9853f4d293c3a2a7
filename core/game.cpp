#include "core/game.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/notation.h"
#include "core/repetition.h"

namespace wari {

Position start_position(const Rules& rules) {
  const Row row = static_cast<Row>(rules.seeds_per_pit) * 0x0000'0101'0101'0101ULL;
  return {row, row | Row{1} << kOwnerShift};
}

Game::Game(const Rules& rules) : Game(rules, start_position(rules)) {}

Game::Game(const Rules& rules, const Position& start) : rules_(rules) {
  const Status at_start = status(sowing_tables(), rules_, start);
  entries_.push_back({start, at_start.legal, 0, at_start.end});
}

FinalStores Game::final_stores() const { return wari::final_stores(rules_, position(), end()); }

SideStores side_stores(const Game& game) { return side_stores(game, game.end()); }

SideStores side_stores(const Game& game, End end) {
  const FinalStores stores = final_stores(game.rules(), game.position(), end);
  if (north_moves(game.position())) return {stores.opponent_half_seeds, stores.mover_half_seeds};
  return {stores.mover_half_seeds, stores.opponent_half_seeds};
}

std::vector<Position> Game::since_capture() const {
  std::vector<Position> positions;
  const std::size_t count = static_cast<std::size_t>(quiet_plies()) + 1;
  positions.reserve(count);
  for (std::size_t place = entries_.size() - count; place < entries_.size(); ++place) positions.push_back(entries_[place].position);
  return positions;
}

void Game::play(int action) {
  if (is_over()) throw Error(fmt::format("no move can be played: the game is over at {}: take back a move or start a new game", position_text(position())));
  if (action < 0 || action >= kActions || ((legal() >> action) & 1) == 0) {
    throw Error(fmt::format("illegal action {} at {}: play one of the legal actions", action, position_text(position())));
  }
  const Move move = wari::play(sowing_tables(), rules_, position(), action);
  const int quiet = move.captured > 0 ? 0 : quiet_plies() + 1;
  entries_.push_back({move.position, move.legal, static_cast<std::uint16_t>(quiet), move.end});
  actions_.push_back(static_cast<std::uint8_t>(action));
  if (move.end != End::none) return;
  const std::vector<Position> history = since_capture();
  Entry& now = entries_.back();
  now.end = end_by_history(rules_, history.data(), static_cast<int>(history.size()));
  if (now.end != End::none) now.legal = 0;
}

void Game::take_back() {
  if (actions_.empty()) throw Error("no move can be taken back: this is the start of the game");
  entries_.pop_back();
  actions_.pop_back();
}

}  // namespace wari
