#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/game.h"

// Full-width alpha-beta to a fixed number of moves: the reference player, and the oracle that other searches are compared with.
namespace wari {

struct AlphaBetaResult {
  int value = 0;            // for the player to move: store difference at leaves; a finished game counts its final difference and 1000 more for the winner
  std::vector<int> best;    // all actions of that value, in order of action; empty if the game is over or the depth is 0
  std::uint64_t nodes = 0;  // moves made
  int depth = 0;            // moves looked ahead
};

inline constexpr int kAlphaBetaWin = 1000;  // added to a finished game's difference for the winner
inline constexpr int kAlphaBetaMaxDepth = 100;

// One thread's searcher. Answers depend on the game (its repetition and quiet plies included) and the depth only: what the table remembers from earlier
// searches saves time and changes nothing, since an entry counts only for exactly the same remaining depth and the same part of the past that can still recur.
class AlphaBeta {
 public:
  // 2 MB suit depths up to about 12: what does not stay in the processor's cache costs more than it saves.
  explicit AlphaBeta(std::size_t table_bytes = std::size_t{2} << 20);
  ~AlphaBeta();
  AlphaBeta(AlphaBeta&&) noexcept;
  AlphaBeta& operator=(AlphaBeta&&) noexcept;

  AlphaBetaResult search(const Game& game, int depth);  // depth 0..kAlphaBetaMaxDepth

 private:
  class Searcher;
  std::unique_ptr<Searcher> searcher_;
};

}  // namespace wari
