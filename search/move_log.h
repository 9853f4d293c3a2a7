#pragma once

#include <cstdint>

#include "core/moves.h"

namespace wari {

// One move of a self-play game as a lane logs it; games are assembled from these, per lane and in order.
struct MoveRecord {
  Position position;                // before the move
  std::uint64_t game;               // number of the game in the run
  std::uint16_t policy[kActions];   // policy target, sums to 65535 over legal actions; all 0: none (random opening, capped search, forced move)
  std::uint16_t ply;                // of the game, from 0
  std::uint16_t quiet_plies;        // before the move
  std::int16_t root_value;          // search's value for the mover, -1..1 as value x 32767 (0 in random openings)
  std::int16_t network_value;       // the network's own value of the root, likewise
  std::uint16_t surprise;           // KL(policy target || prior) in nats x 4096, clamped
  std::uint8_t action;
  std::uint8_t flags;               // kFlag...
  std::uint8_t end;                 // End after this move
  std::uint8_t rules_index;         // into the engine's rule sets
  std::int8_t table_seeds;          // where a table ended the game: what the player to move now would take more than the opponent
  std::uint8_t reserved;
};
static_assert(sizeof(MoveRecord) == 64);

inline constexpr std::uint8_t kFlagRandom = 1;    // uniformly random opening move, not searched
inline constexpr std::uint8_t kFlagFull = 2;      // full search: its policy is a target
inline constexpr std::uint8_t kFlagForced = 4;    // only one legal action: not searched
inline constexpr std::uint8_t kFlagNoise = 8;     // the root was noisy

}  // namespace wari
