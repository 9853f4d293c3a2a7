#pragma once

#include <cstdint>
#include <vector>

#include "core/moves.h"

namespace wari {

// What self-play keeps of one ply.
struct PlyRecord {
  std::uint16_t policy[kActions] = {};  // policy target, sums to 65535; all 0: none
  std::int16_t root_value = 0;          // the search's value for the mover, x 32767
  std::int16_t network_value = 0;       // the network's own value of the root, x 32767
  std::uint16_t surprise = 0;           // KL(policy target || prior) in nats x 4096
  std::uint8_t action = 0;
  std::uint8_t flags = 0;               // kFlag... of search/move_log.h
  bool operator==(const PlyRecord&) const = default;
};
static_assert(sizeof(PlyRecord) == 32);

// One self-play game: enough to replay it, to verify it and to learn from it. A game in flight is the same with `end` none.
struct GameRecord {
  std::int64_t game = -1;              // its number in the run
  std::uint8_t rules_index = 0;        // into the rule sets of the run or file
  End end = End::none;
  std::int16_t south_half_seeds = 0;   // final stores in half seeds (`award: split` may halve)
  std::int16_t north_half_seeds = 0;
  Position start{};
  std::vector<PlyRecord> plies;        // in order
  int length() const { return static_cast<int>(plies.size()); }
  bool operator==(const GameRecord&) const = default;
};

}  // namespace wari
