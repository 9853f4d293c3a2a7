#include "selfplay/assembler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "selfplay/replay_game.h"

namespace wari {
namespace {

PlyRecord ply_of(const MoveRecord& move) {
  PlyRecord ply;
  static_assert(sizeof ply.policy == sizeof move.policy);
  std::memcpy(ply.policy, move.policy, sizeof ply.policy);
  ply.root_value = move.root_value;
  ply.network_value = move.network_value;
  ply.surprise = move.surprise;
  ply.action = move.action;
  ply.flags = move.flags;
  return ply;
}

}  // namespace

void GameAssembler::add(std::span<const MoveRecord> moves, std::vector<GameRecord>& finished) {
  // With tens of thousands of games every one lies outside the caches: those of a few moves are fetched at once.
  constexpr std::size_t kTogether = 32;
  GameRecord* games[kTogether];
  for (; !moves.empty(); moves = moves.subspan(std::min(kTogether, moves.size()))) {
    const std::span<const MoveRecord> some = moves.first(std::min(kTogether, moves.size()));
    for (std::size_t i = 0; i < some.size(); ++i) games[i] = &games_[static_cast<std::int64_t>(some[i].game)];
    for (std::size_t i = 0; i < some.size(); ++i) __builtin_prefetch(games[i]->plies.data() + games[i]->plies.size(), 1);
    for (std::size_t i = 0; i < some.size(); ++i) {
      add(some[i], *games[i]);
      if (static_cast<End>(some[i].end) == End::none) continue;
      finish(some[i], *games[i]);
      finished.push_back(std::move(*games[i]));
      games[i]->plies.clear();
    }
    for (const MoveRecord& move : some) {
      const auto game = static_cast<End>(move.end) == End::none ? games_.end() : games_.find(static_cast<std::int64_t>(move.game));
      if (game != games_.end() && game->second.plies.empty()) games_.erase(game);
    }
  }
}

void GameAssembler::add(const MoveRecord& move, GameRecord& game) {
  const auto number = static_cast<std::int64_t>(move.game);
  if (game.plies.empty()) {
    game.game = number;
    game.rules_index = move.rules_index;
    game.start = move.position;
    game.plies.reserve(128);
  }
  if (move.ply != game.plies.size() || move.rules_index != game.rules_index) {
    throw system_error(fmt::format("self-play logged ply {} of game {} where ply {} was due: report this as a fault", move.ply, number, game.plies.size()));
  }
  game.plies.push_back(ply_of(move));
}

// The log holds positions before moves: the last move is played once more to count the stores.
void GameAssembler::finish(const MoveRecord& last, GameRecord& game) const {
  game.end = static_cast<End>(last.end);
  const Rules& rules = rules_.at(game.rules_index);
  const Position position = play(sowing_tables(), rules, last.position, last.action).position;
  const bool north = north_moves(position);
  FinalStores stores{};
  if (game.end == End::table) {
    const int left = row_seeds(position.mover) + row_seeds(position.opponent);
    stores = {static_cast<std::int16_t>(2 * store_seeds(position.mover) + left + last.table_seeds), static_cast<std::int16_t>(2 * store_seeds(position.opponent) + left - last.table_seeds)};
  } else if (ended_by_program(game.end)) {
    stores = {static_cast<std::int16_t>(2 * store_seeds(position.mover)), static_cast<std::int16_t>(2 * store_seeds(position.opponent))};
  } else {
    stores = final_stores(rules, position, game.end);
  }
  game.south_half_seeds = north ? stores.opponent_half_seeds : stores.mover_half_seeds;
  game.north_half_seeds = north ? stores.mover_half_seeds : stores.opponent_half_seeds;
}

const GameRecord* GameAssembler::in_flight(std::int64_t game) const {
  const auto found = games_.find(game);
  return found == games_.end() ? nullptr : &found->second;
}

void GameAssembler::resume(GameRecord game) {
  const std::int64_t number = game.game;
  games_[number] = std::move(game);
}

}  // namespace wari
