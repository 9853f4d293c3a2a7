#include "core/sowing.h"

#include "core/moves.h"

namespace wari {
namespace {

constexpr SowingEntry make_entry(int pit, int seeds) {
  SowingEntry entry{0, 0, 0, static_cast<std::uint32_t>(pit)};
  if (seeds == 0) return entry;
  int place = pit;
  for (int seed = 0; seed < seeds; ++seed) {
    place = (place + 1) % 12;
    if (place == pit) place = (place + 1) % 12;  // the pit lifted stays empty, on every lap
    if (place < kPits) {
      entry.own += Row{1} << (8 * place);
    } else {
      entry.other += Row{1} << (8 * (place - kPits));
    }
  }
  entry.own -= static_cast<Row>(seeds) << (8 * pit);
  entry.last = static_cast<std::uint32_t>(place);
  if (place >= kPits) entry.capture_limit = (Row{1} << (8 * (place - kPits + 1))) - 1;
  return entry;
}

constexpr SowingTables make_tables() {
  SowingTables tables{};
  for (int seeds = 0; seeds <= kMaxSeeds; ++seeds) {
    for (int pit = 0; pit < kPits; ++pit) tables.entry[seeds][pit] = make_entry(pit, seeds);
  }
  for (std::uint32_t mask = 0; mask < 64; ++mask) {
    int found = 0;
    for (std::uint32_t bit = 0; bit < 6; ++bit) {
      if ((mask >> bit) & 1) tables.set_bits[mask] |= bit << (4 * found++);
    }
  }
  return tables;
}

constinit const SowingTables kTables = make_tables();

}  // namespace

const SowingTables& sowing_tables() { return kTables; }

}  // namespace wari
