#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/moves.h"

namespace wari {

// One game on the host: the position with all that the rules remember of the past. For notation, players, files and the engine; lanes keep their own state.
class Game {
 public:
  explicit Game(const Rules& rules);                            // from the start position
  Game(const Rules& rules, const Position& start);              // from outside: no history

  const Rules& rules() const { return rules_; }
  const Position& position() const { return entries_.back().position; }
  const Position& start() const { return entries_.front().position; }
  std::uint16_t legal() const { return entries_.back().legal; }  // 0 if over
  bool is_over() const { return end() != End::none; }
  End end() const { return entries_.back().end; }
  FinalStores final_stores() const;                              // of the mover and the opponent at position(); only if over
  int plies() const { return static_cast<int>(entries_.size()) - 1; }
  int quiet_plies() const { return entries_.back().quiet_plies; }
  std::span<const std::uint8_t> actions() const { return actions_; }

  // Positions since the last capture (or the start), oldest first, the present one last: quiet_plies() + 1 of them.
  std::vector<Position> since_capture() const;
  void play(int action);                                         // throws Error if illegal or over
  void take_back();                                              // one ply; throws Error at the start

 private:
  struct Entry {
    Position position;
    std::uint16_t legal;
    std::uint16_t quiet_plies;
    End end;
  };
  Rules rules_;
  std::vector<Entry> entries_;         // one per position of the game
  std::vector<std::uint8_t> actions_;
};

Position start_position(const Rules& rules);

// What each side has in half seeds: the final stores of a game that is over, else the stores of its position.
struct SideStores {
  int south_half_seeds;
  int north_half_seeds;
};
SideStores side_stores(const Game& game);
SideStores side_stores(const Game& game, End end);                // if the game ended so at its position; End::none: as they are

}  // namespace wari
