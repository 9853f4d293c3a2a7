#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/move_log.h"
#include "selfplay/game_record.h"

namespace wari {

// Puts games together from the moves that one engine logs: moves of different games come mixed, those of one game in order.
class GameAssembler {
 public:
  explicit GameAssembler(std::vector<Rules> rules) : rules_(std::move(rules)) {}

  // Finished games are appended to `finished`. Throws Error (kind system) when a move does not continue its game: a fault of the engine, never bad input.
  void add(std::span<const MoveRecord> moves, std::vector<GameRecord>& finished);

  // The record so far of a game in flight; null if no move of it was logged.
  const GameRecord* in_flight(std::int64_t game) const;
  // Takes up a game in flight, and forgets all.
  void resume(GameRecord game);
  void clear() { games_.clear(); }
  std::size_t games_in_flight() const { return games_.size(); }

 private:
  void add(const MoveRecord& move, GameRecord& game);
  void finish(const MoveRecord& last, GameRecord& game) const;

  std::vector<Rules> rules_;
  std::unordered_map<std::int64_t, GameRecord> games_;
};

}  // namespace wari
