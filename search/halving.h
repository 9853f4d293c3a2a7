#pragma once

#include <cstdint>

#include "core/portability.h"

namespace wari {

// Sequential halving (Karnin, Koren, Somekh 2013) as Gumbel AlphaZero uses it (Danihelka et al. 2022): which number of visits the root's next move must have.
// Equal to the table considered_visits[moves][budget][simulation], but a few integers in the lane instead of a table as long as the budget.
struct Halving {
  std::int32_t considered_visit = 0;  // the next simulation goes to a move with this many visits
  std::int32_t rounds_left = 0;       // of this phase, the present one included
  std::int16_t considered = 0;        // moves still in the race
  std::int16_t left = 0;              // moves without their visit in this round
  std::int32_t phases = 0;            // log2 of the moves at the start, rounded up

  WARI_HD static std::int32_t rounds_of_phase(std::int32_t budget, std::int32_t phases, std::int32_t considered) {
    const std::int32_t rounds = budget / (phases * considered);
    return rounds < 1 ? 1 : rounds;
  }

  // A search of `budget` simulations over `moves` moves.
  WARI_HD void begin(std::int32_t moves, std::int32_t budget) {
    considered_visit = 0;
    phases = 0;
    while ((1 << phases) < moves) ++phases;
    considered = static_cast<std::int16_t>(moves);
    left = considered;
    rounds_left = phases == 0 ? budget : rounds_of_phase(budget, phases, moves);
  }

  // After a simulation.
  WARI_HD void advance(std::int32_t budget) {
    if (--left > 0) return;
    ++considered_visit;
    if (--rounds_left <= 0 && phases > 0) {
      considered = static_cast<std::int16_t>(considered / 2 < 2 ? 2 : considered / 2);
      rounds_left = rounds_of_phase(budget, phases, considered);
    }
    left = considered;
  }
};

}  // namespace wari
