#pragma once

#include <cstdint>

#include "core/position.h"

// Boards of few seeds, numbered without gaps: all boards of 0 seeds, of 1 seed, of 2, ... (the combinatorial number system). A board is twelve pits seen by the
// player to move; stores and owner play no part. The same source runs on CPU cores and in kernels.
namespace wari {

inline constexpr int kMostTableSeeds = 24;  // 1,251,677,700 boards; numbers fit 32 bits
inline constexpr int kBoardPits = 12;

// choose[k][s] is C(s + k, k + 1). With s_k the seeds of pits 0..k, a board's number is the sum of choose[k][s_k] over all twelve k: the last term counts the
// boards of fewer seeds.
struct EndgameNumbering {
  std::uint32_t choose[kBoardPits][kMostTableSeeds + 2];
};
const EndgameNumbering& endgame_numbering();

// The number of the first board of so many seeds, 0..kMostTableSeeds + 1: how many boards have fewer.
WARI_HD inline std::uint32_t first_board(const EndgameNumbering& numbering, int seeds) { return numbering.choose[kBoardPits - 1][seeds]; }

WARI_HD inline std::uint32_t board_number(const EndgameNumbering& numbering, const Position& position /* at most kMostTableSeeds in the pits */) {
  constexpr Row kSums = 0x0000'0101'0101'0101ULL;  // byte k of the product is the sum of bytes 0..k
  const Row mover = (position.mover & kPitsMask) * kSums;
  const Row opponent = (position.opponent & kPitsMask) * kSums;
  const int row = pit_seeds(mover, kPits - 1);
  std::uint32_t number = 0;
  for (int pit = 0; pit < kPits; ++pit) {
    number += numbering.choose[pit][pit_seeds(mover, pit)];
    number += numbering.choose[kPits + pit][row + pit_seeds(opponent, pit)];
  }
  return number;
}

// The board of a number: empty stores, South to move.
WARI_HD inline Position numbered_board(const EndgameNumbering& numbering, std::uint32_t number) {
  int sum = kMostTableSeeds;
  while (numbering.choose[kBoardPits - 1][sum] > number) --sum;
  number -= numbering.choose[kBoardPits - 1][sum];
  Row rows[2] = {0, Row{1} << kOwnerShift};
  for (int pit = kBoardPits - 1; pit > 0; --pit) {
    int below = sum;
    while (numbering.choose[pit - 1][below] > number) --below;
    number -= numbering.choose[pit - 1][below];
    rows[pit / kPits] |= static_cast<Row>(sum - below) << (8 * (pit % kPits));
    sum = below;
  }
  return {rows[0] | static_cast<Row>(sum), rows[1]};
}

// The board with the next number, of as many seeds; meaningless after the last. One seed of the lowest filled pit above the first comes down to the pit below it,
// together with all that the first pit holds.
inline Position next_board(const Position& board) {
  const Row mine = board.mover & kPitsMask & ~Row{0xff}, theirs = board.opponent & kPitsMask;
  const Row down = (board.mover & 0xff) + 1;
  Position next = board;
  next.mover &= ~Row{0xff};
  if (mine != 0) {
    const int shift = __builtin_ctzll(mine) & ~7;
    next.mover += (down << (shift - 8)) - (Row{1} << shift);
  } else {
    const int shift = theirs == 0 ? 0 : __builtin_ctzll(theirs) & ~7;
    next.opponent -= Row{1} << shift;
    (shift == 0 ? next.mover : next.opponent) += down << (shift == 0 ? 8 * (kPits - 1) : shift - 8);
  }
  return next;
}

}  // namespace wari
