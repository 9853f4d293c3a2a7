#pragma once

#include <cstdint>

#include "core/moves.h"

namespace wari {

// One position to learn from, made from a finished game: what replay holds and the trainer turns into a batch. 64 bytes, all targets from the mover's side.
struct Sample {
  Position position;
  std::uint16_t policy[kActions];     // target, sums to 65535; all 0: none (only the value heads learn)
  std::uint16_t quiet_plies;
  std::uint16_t ply;                  // of the game
  std::uint16_t plies_left;           // of the game, clamped
  std::int16_t margin_half_seeds;     // final margin: mover's store minus opponent's, in half seeds
  std::int16_t root_value;            // the search's value, x 32767
  std::uint16_t surprise;             // KL(policy target || prior) in nats x 4096
  std::uint16_t legal;                // mask of legal actions
  std::uint8_t outcome;               // 0 win, 1 draw, 2 loss, for the mover
  std::uint8_t rules_index;           // into the run's rule sets
  std::uint8_t flags;                 // of the MoveRecord
  std::uint8_t reserved[7];
};
static_assert(sizeof(Sample) == 64);

}  // namespace wari
