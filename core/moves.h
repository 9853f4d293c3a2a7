#pragma once

#include <cstdint>

#include "core/rules.h"

// The rules as functions on plain structs: legal actions, one move, end of game. The same source runs on CPU cores and in kernels.
namespace wari {

enum class End : std::uint8_t {
  none,         // the game goes on
  majority,     // a store holds more than half: seeds on the board stay uncounted
  no_move,      // the player to move has no legal action: each takes the own row
  slam,         // a grand slam that ends the game, own rows (`forbidden_unless_only`)
  slam_rest,    // `opponent_takes_rest`: the opponent of the player who slammed takes what is left
  quiet,        // `quiet_plies` reached, own rows
  repetition,   // as `repetition.award` says
  // Ends that a program makes, not the rules:
  table,        // adjudicated by an endgame table
  resigned,
  limit,
};

// What one action did. `position` is seen by the player whose turn it is now (`mover_again` under `moves_again`: the same player); pits are not swept into stores
// when the game is over: final_stores() counts. `legal` is the mask of legal actions at `position`, 0 if over.
struct Move {
  Position position;
  std::uint16_t legal;
  std::uint8_t captured;  // seeds; more than 0 makes all earlier positions unrepeatable
  End end;                // majority, no_move, slam, slam_rest or none; quiet plies and repetition are the caller's, who knows the history
  bool mover_again;
};

// The tables that sowing reads, [seeds, pit]; built at compile time; device code gets a pointer to a copy. Defined in core/sowing.h.
struct SowingTables;
const SowingTables& sowing_tables();

// Position given from outside (start, notation): the end by majority or no_move, and the legal actions.
struct Status {
  std::uint16_t legal;
  End end;
};
WARI_HD inline Status status(const SowingTables& tables, const Rules& rules, Position position);

// Mask of legal actions; bit i is action i. 0: no legal move. Does not test for majority.
WARI_HD inline std::uint16_t legal_actions(const SowingTables& tables, const Rules& rules, Position position);

// Plays a legal action. Lane code never throws: an illegal action is a caller's error (assert in debug builds).
WARI_HD inline Move play(const SowingTables& tables, const Rules& rules, Position position, int action);

// What each of the 12 pits would capture if played now: [0..5] the mover's pits, [6..11] the opponent's pits if it were their turn. kEmptyPit: nothing to play there.
inline constexpr std::uint8_t kEmptyPit = 31;
WARI_HD inline void capture_preview(const SowingTables& tables, const Rules& rules, Position position, std::uint8_t captures[12]);

// Final stores in half seeds (`award: split` may halve), of the mover and of the opponent at `position`.
struct FinalStores {
  std::int16_t mover_half_seeds;
  std::int16_t opponent_half_seeds;
};
WARI_HD inline FinalStores final_stores(const Rules& rules, Position position, End end);

}  // namespace wari

#include "core/moves_inline.h"
