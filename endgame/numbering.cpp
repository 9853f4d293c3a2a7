#include "endgame/numbering.h"

namespace wari {
namespace {

constexpr EndgameNumbering make_numbering() {
  EndgameNumbering numbering{};
  for (int seeds = 0; seeds <= kMostTableSeeds + 1; ++seeds) numbering.choose[0][seeds] = static_cast<std::uint32_t>(seeds);
  for (int k = 1; k < kBoardPits; ++k) {
    // C(s + k, k + 1) = C(s + k - 1, k + 1) + C(s + k - 1, k)
    for (int seeds = 1; seeds <= kMostTableSeeds + 1; ++seeds) numbering.choose[k][seeds] = numbering.choose[k][seeds - 1] + numbering.choose[k - 1][seeds];
  }
  return numbering;
}

constinit const EndgameNumbering kNumbering = make_numbering();

}  // namespace

const EndgameNumbering& endgame_numbering() { return kNumbering; }

}  // namespace wari
