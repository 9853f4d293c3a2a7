#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/moves.h"

// Verifies files of examples in the four formats of docs/rules.md (one JSON object a line: perft, moves, games, alphabeta) against this engine.
namespace wari {

// One fact that this engine sees differently.
struct RulesMismatch {
  std::string file;
  int line = 0;
  std::string what;      // "perft 4", "legal", "after C-: stores"
  std::string expected;  // as the file says
  std::string got;       // as this engine finds
};

struct RulesReport {
  std::int64_t checked = 0;  // lines
  std::vector<RulesMismatch> mismatches;
};

// Alpha-beta lives in a higher room, so who checks brings it along.
struct AlphaBetaAnswer {
  int value = 0;
  std::vector<int> best;  // all actions of that value
};
using AlphaBetaOracle = std::function<AlphaBetaAnswer(const Rules&, const Position&, int depth)>;

// Adds a file's findings to `report`. Throws Error (file:line) where the file is not of these formats.
void check_rules_file(const std::filesystem::path& file, const AlphaBetaOracle& alphabeta, RulesReport& report);

}  // namespace wari
