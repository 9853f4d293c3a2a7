#pragma once

#include <vector>

#include "core/rules.h"

namespace wari {

// Every kind of rules that a table can be made for.
inline std::vector<Rules> endgame_rule_sets() {
  std::vector<Rules> sets;
  for (const Capture capture : {Capture::mandatory, Capture::optional}) {
    for (int slam = 0; slam < 7; ++slam) {
      for (const NoFeedingMove no_feeding : {NoFeedingMove::ends, NoFeedingMove::plays_on}) {
        Rules rules;
        rules.capture = capture;
        rules.grand_slam = static_cast<GrandSlam>(slam);
        rules.no_feeding_move = no_feeding;
        sets.push_back(rules);
      }
    }
  }
  return sets;
}

}  // namespace wari
