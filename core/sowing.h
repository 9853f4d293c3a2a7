#pragma once

#include "core/portability.h"
#include "core/position.h"
#include "core/rules.h"

// Sowing and capture on two 64-bit words. One lap is one line of a table and two additions; a capture is found by byte tricks and a count of leading zeros.
namespace wari {

// What lifting `n` seeds from a pit does in one lap, seen by the owner of the pit.
struct alignas(32) SowingEntry {
  Row own;             // to be added to the row of the pit: one per pit sown, minus the n seeds lifted (modulo 2^64)
  Row other;           // to be added to the facing row
  Row capture_limit;   // all bits of the facing row's pits up to the one where the last seed fell; 0 if it fell in the own row
  std::uint32_t last;  // where the last seed fell, 0..11 counted from the own row's first pit
};

struct SowingTables {
  SowingEntry entry[kMaxSeeds + 1][8];  // [seeds, pit]; places 6 and 7 only make the stride a power of two
  std::uint32_t set_bits[64];           // [six-bit mask]: the numbers of its set bits, lowest first, four bits each
};

// What one action's sowing came to, before the rules on slams.
struct Sowing {
  Row mover;     // with the captured seeds not yet in the store
  Row opponent;  // with the captured seeds still in their pits
  Row run;       // mask of the opponent's pits in the run behind the last seed; 0: no capture is due
  Row last_pit;  // mask of the opponent's pit where the last seed fell; 0 if in the mover's row. Only right where `run` is not 0
  bool endless;  // the relay never stops: an illegal move
};

inline constexpr Row kEveryPit1 = 0x0000'0101'0101'0101ULL;
inline constexpr Row kEveryPit2 = 2 * kEveryPit1;
inline constexpr Row kEveryPit7f = 0x7f * kEveryPit1;
inline constexpr Row kEveryPit80 = 0x80 * kEveryPit1;
inline constexpr Row kEveryPit7e = 0x7e * kEveryPit1;
// Added to a row, sets bit 7 of each pit that holds at least 6, 5, 4, 3, 2, 1 seeds: enough to reach the facing row.
inline constexpr Row kReachesFacingRow = 0x0000'7f7e'7d7c'7b7aULL;

WARI_HD inline int leading_zeros(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(word));
#else
  return word == 0 ? 64 : __builtin_clzll(word);
#endif
}

WARI_HD inline int count_bits(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

// Six bits from bit 7 of each of the six pits.
WARI_HD inline std::uint16_t gather_pits(Row flags /* only bits of kEveryPit80 */) {
  return static_cast<std::uint16_t>((((flags >> 7) * 0x0000'0008'1020'4081ULL) >> 35) & 63);
}

// The unbroken run of pits holding 2 or 3 that ends at the top of `limit` and goes back.
WARI_HD inline Row capture_run(Row opponent, Row limit) {
  const Row neither_2_nor_3 = ((opponent ^ kEveryPit2) + kEveryPit7e) & kEveryPit80;  // n ^ 2 is 0 or 1 for 2 and 3, at least 2 for all others
  return limit & (~Row{0} << ((64 - leading_zeros(neither_2_nor_3 & limit)) & 63));
}

WARI_HD inline Sowing sow_single_lap(const SowingTables& tables, Position position, int pit) {
  const SowingEntry& entry = tables.entry[pit_seeds(position.mover, pit)][pit];
  Sowing sowing;
  sowing.mover = position.mover + entry.own;
  sowing.opponent = position.opponent + entry.other;
  sowing.run = capture_run(sowing.opponent, entry.capture_limit);
  sowing.last_pit = entry.capture_limit & ~(entry.capture_limit >> 8);
  sowing.endless = false;
  return sowing;
}

// One turn of several laps between two laps: the rows and the pit where the last seed fell.
struct Lap {
  Row mover;
  Row opponent;
  int last;  // 0..11, seen by the player to move
  WARI_HD int seeds_there() const { return last < kPits ? pit_seeds(mover, last) : pit_seeds(opponent, last - kPits); }
  WARI_HD bool operator==(const Lap& other) const { return mover == other.mover && opponent == other.opponent && last == other.last; }
};

// Lifts the pit lap.last and sows it.
WARI_HD inline Lap sow_lap(const SowingTables& tables, const Lap& lap) {
  const bool from_own = lap.last < kPits;
  const int pit = from_own ? lap.last : lap.last - kPits;
  const Row own = from_own ? lap.mover : lap.opponent;
  const Row other = from_own ? lap.opponent : lap.mover;
  const SowingEntry& entry = tables.entry[pit_seeds(own, pit)][pit];
  const Row own_after = own + entry.own;
  const Row other_after = other + entry.other;
  const int last = static_cast<int>(entry.last);
  Lap next;
  next.mover = from_own ? own_after : other_after;
  next.opponent = from_own ? other_after : own_after;
  next.last = from_own ? last : (last < kPits ? last + kPits : last - kPits);
  return next;
}

// Does the turn end after this lap? (Rules `relay` and `relay_until_capture`.)
WARI_HD inline bool relay_stops(const Lap& lap, Laps laps) {
  const int seeds = lap.seeds_there();
  return seeds == 1 || (laps == Laps::relay_until_capture && lap.last >= kPits && (seeds == 2 || seeds == 3));
}

// Plays laps until one ends the turn. A relay that never ends is found by Brent's algorithm (BIT 20, 1980): no storage but one earlier state, moved up at powers of two.
// Returns false for an endless relay.
WARI_HD inline bool relay(const SowingTables& tables, Laps laps, Lap& lap) {
  Lap earlier = lap;
  std::uint32_t power = 1, steps = 0;
  while (!relay_stops(lap, laps)) {
    if (steps == power) {
      earlier = lap;
      power *= 2;
      steps = 0;
    }
    lap = sow_lap(tables, lap);
    ++steps;
    if (lap == earlier) return false;
  }
  return true;
}

WARI_HD inline Sowing sow_laps(const SowingTables& tables, Laps laps, Position position, int pit) {
  Lap lap = sow_lap(tables, Lap{position.mover, position.opponent, pit});
  Sowing sowing;
  sowing.endless = false;
  if (laps == Laps::two) {
    if (lap.seeds_there() > 1) lap = sow_lap(tables, lap);
  } else if (laps != Laps::single) {
    sowing.endless = !relay(tables, laps, lap);
  }
  sowing.mover = lap.mover;
  sowing.opponent = lap.opponent;
  const Row limit = lap.last < kPits ? 0 : (Row{1} << (8 * (lap.last - kPits + 1))) - 1;
  sowing.run = sowing.endless ? 0 : capture_run(lap.opponent, limit);
  sowing.last_pit = limit & ~(limit >> 8);
  return sowing;
}

// Sows an own pit that holds seeds. The same for every number of laps.
WARI_HD inline Sowing sow(const SowingTables& tables, const Rules& rules, Position position, int pit) {
  return rules.laps == Laps::single ? sow_single_lap(tables, position, pit) : sow_laps(tables, rules.laps, position, pit);
}

// Seeds of some pits (a row under a mask of pits), already in the place of the store.
WARI_HD inline Row as_store(Row pits /* no store, no owner */) { return (pits * 0x0001'0101'0101'0100ULL) & (Row{0xff} << kStoreShift); }

// A grand slam: the run holds every seed of the opponent's row.
WARI_HD inline bool is_grand_slam(const Sowing& sowing) {
  // The test that is seldom true comes first, and the compiler must keep it there: a branch that the processor predicts.
  return __builtin_expect((sowing.opponent & kPitsMask & ~sowing.run) == 0, 0) && sowing.run != 0;
}

// Lowest pit of a run.
WARI_HD inline Row first_pit_of(Row run) { return run & ~(run << 8); }

// The pits that a slam really empties, by the slam rule.
WARI_HD inline Row slam_capture(const Sowing& sowing, GrandSlam grand_slam) {
  switch (grand_slam) {
    case GrandSlam::captures_nothing: return 0;
    case GrandSlam::spares_last: return sowing.run & ~sowing.last_pit;
    case GrandSlam::spares_first: return sowing.run & ~first_pit_of(sowing.run);
    default: return sowing.run;
  }
}

// The pits that the sowing empties: the run, or what the slam rule leaves of it.
WARI_HD inline Row captured_pits(const Sowing& sowing, GrandSlam grand_slam) {
  return is_grand_slam(sowing) ? slam_capture(sowing, grand_slam) : sowing.run;
}

}  // namespace wari
