#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/moves.h"
#include "core/position.h"
#include "core/repetition.h"
#include "search/alphabeta_table.h"

// The way from the last capture to the node being searched, for repetitions, and the question which part of it a value can depend on.
namespace wari {

class SearchPath {
 public:
  // `since_capture`: the game's positions since the last capture, the root last.
  void reset(const Rules& rules, std::span<const Position> since_capture, int depth) {
    rules_ = rules;
    cycle_plies_ = shortest_cycle_plies(rules);
    positions_.resize(since_capture.size() + static_cast<std::size_t>(depth) + 1);
    occurrences_.assign(positions_.size(), 1);
    for (std::size_t place = 0; place < since_capture.size(); ++place) {
      positions_[place] = since_capture[place];
      occurrences_[place] = count_occurrences(static_cast<int>(place), static_cast<int>(place));
    }
  }

  // Puts a position at `place` (the root's is quiet_plies of the game, its children's one more, ...). `quiet`: plies since the last capture.
  // Returns the end that the past brings to a position that is not over otherwise.
  End put(int place, const Position& position, int quiet) {
    positions_[static_cast<std::size_t>(place)] = position;
    occurrences_[static_cast<std::size_t>(place)] = 1;
    if (rules_.quiet_plies != 0 && quiet >= rules_.quiet_plies) return End::quiet;
    if (quiet < cycle_plies_ || rules_.repetition_occurrences == 0) return End::none;
    const std::uint8_t occurrences = count_occurrences(place, quiet);
    occurrences_[static_cast<std::size_t>(place)] = occurrences;
    return occurrences >= rules_.repetition_occurrences ? End::repetition : End::none;
  }

  // A number that is equal for two ways to the position at `place` if its value to `depth` cannot differ between them; 0 where the past plays no part.
  std::uint64_t signature(int place, int quiet, int depth) const {
    std::uint64_t sum = 0;
    if (rules_.quiet_plies != 0 && quiet + depth >= rules_.quiet_plies) sum = static_cast<std::uint64_t>(quiet) * 0x9e3779b97f4a7c15ULL;
    if (rules_.repetition_occurrences == 0 || quiet + depth < cycle_plies_) return sum;
    for (int back = 1; back <= quiet; ++back) {
      if (can_recur(place, back, depth)) sum += position_hash(positions_[static_cast<std::size_t>(place - back)]) | 1;
    }
    return sum;
  }

 private:
  // How often the position at `place` has occurred since the last capture, itself included, as far as the rules care.
  std::uint8_t count_occurrences(int place, int quiet) const {
    int occurrences = 1;
    for (int other = place - cycle_plies_; other >= place - quiet; other -= 2) {
      if (positions_[static_cast<std::size_t>(other)] == positions_[static_cast<std::size_t>(place)] && ++occurrences >= rules_.repetition_occurrences) break;
    }
    return static_cast<std::uint8_t>(occurrences);
  }

  // Can the position `back` plies before `place` recur so often within `depth` more plies that the game ends? True also where we do not know.
  bool can_recur(int place, int back, int depth) const {
    const int recurrences = rules_.repetition_occurrences - occurrences_[static_cast<std::size_t>(place - back)];
    const int first_at_most = depth - cycle_plies_ * (recurrences - 1);  // plies from now to the first of them
    const int plies = first_at_most - ((first_at_most ^ back) & 1);      // the same player moves: an even distance
    if (plies < 1 || plies + back < cycle_plies_) return false;
    if (rules_.laps != Laps::single) return true;
    // A pit loses seeds only by being played, one pit a ply.
    const Position& now = positions_[static_cast<std::size_t>(place)];
    const Position& then = positions_[static_cast<std::size_t>(place - back)];
    const bool same_mover = (back & 1) == 0;
    return pits_with_fewer(same_mover ? then.mover : then.opponent, now.mover) <= (plies + 1) / 2 &&
           pits_with_fewer(same_mover ? then.opponent : then.mover, now.opponent) <= plies / 2;
  }

  static int pits_with_fewer(Row row, Row than) {
    constexpr Row kHigh = 0x0000'8080'8080'8080ULL;
    const Row not_fewer = (((row & kPitsMask) | kHigh) - (than & kPitsMask)) & kHigh;
    return __builtin_popcountll(not_fewer ^ kHigh);
  }

  Rules rules_;
  int cycle_plies_ = 12;
  std::vector<Position> positions_;        // [places]
  std::vector<std::uint8_t> occurrences_;  // [places]
};

}  // namespace wari
