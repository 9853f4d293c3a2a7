#pragma once

#include <unistd.h>

#include <span>

#include "endgame/endgame_rules.h"
#include "endgame/table.h"

namespace wari {

// Tables solved in the test itself; their files are gone when this returns.
inline EndgameTables small_tables(std::span<const Rules> rules, int seeds) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("wari_small_" + std::to_string(::getpid()) + ".table");
  EndgameTables tables;
  for (const Rules& set : rules) {
    if (set.laps != Laps::single) continue;
    EndgameValues values;
    for (int level = 0; level <= seeds; ++level) solve_level({endgame_rules(set), level, 1}, values);
    write_endgame_table(file, endgame_rules(set), seeds, std::move(values));
    tables.push_back(std::make_shared<EndgameTable>(EndgameTable::open(file)));
    std::filesystem::remove(file);
  }
  return tables;
}
inline EndgameTables small_tables(const Rules& rules, int seeds) { return small_tables(std::span(&rules, 1), seeds); }

}  // namespace wari
