#include "core/move_steps.h"

#include <cassert>

#include "core/sowing.h"

namespace wari {
namespace {

using Kind = MoveStep::Kind;
using Store = MoveStep::Store;

// Pits as steps number them, from those that the player to move counts.
int board_pit(bool north, int pit) { return north ? (pit + kPits) % 12 : pit; }

Store store_of(bool north) { return north ? Store::north : Store::south; }

// Lifts the pit lap.last and sows it: the lap of core/sowing.h, seed by seed.
Lap show_lap(const Lap& lap, bool north, std::vector<MoveStep>& steps) {
  const int seeds = lap.seeds_there();
  steps.push_back({Kind::lift, static_cast<std::uint8_t>(board_pit(north, lap.last)), static_cast<std::uint8_t>(seeds)});
  int pit = lap.last;
  for (int seed = 0; seed < seeds; ++seed) {
    pit = (pit + 1) % 12;
    if (pit == lap.last) pit = (pit + 1) % 12;
    steps.push_back({Kind::sow, static_cast<std::uint8_t>(board_pit(north, pit)), 1});
  }
  return sow_lap(sowing_tables(), lap);
}

void show_laps(const Rules& rules, const Position& position, int pit, std::vector<MoveStep>& steps) {
  const bool north = north_moves(position);
  Lap lap = show_lap({position.mover, position.opponent, pit}, north, steps);
  if (rules.laps == Laps::two && lap.seeds_there() > 1) show_lap(lap, north, steps);
  if (rules.laps != Laps::relay && rules.laps != Laps::relay_until_capture) return;
  while (!relay_stops(lap, rules.laps)) lap = show_lap(lap, north, steps);
}

}  // namespace

std::vector<MoveStep> move_steps(const Rules& rules, const Position& position, int action) {
  const int pit = action % kPits;
  assert(pit_seeds(position.mover, pit) != 0);
  const Sowing sowing = sow(sowing_tables(), rules, position, pit);
  assert(!sowing.endless);
  std::vector<MoveStep> steps;
  show_laps(rules, position, pit, steps);
  if (action >= kPits) return steps;  // declined
  const bool north = north_moves(position);
  const Row captured = sowing.opponent & captured_pits(sowing, rules.grand_slam);
  for (int taken = kPits - 1; taken >= 0; --taken) {  // from the last seed back
    const int seeds = pit_seeds(captured, taken);
    if (seeds > 0) steps.push_back({Kind::capture, static_cast<std::uint8_t>(board_pit(north, kPits + taken)), static_cast<std::uint8_t>(seeds), store_of(north)});
  }
  return steps;
}

std::vector<MoveStep> sweep_steps(const Rules& rules, const Position& position, End end) {
  std::vector<MoveStep> steps;
  const bool own_rows = end == End::no_move || end == End::slam || end == End::quiet || end == End::repetition;
  if (!own_rows && end != End::slam_rest) return steps;
  const bool north = north_moves(position);
  const bool split = end == End::repetition && rules.repetition_award == Award::split;
  for (int pit = 0; pit < 12; ++pit) {
    const bool norths = pit >= kPits;
    const int seeds = pit_seeds(norths == north ? position.mover : position.opponent, pit % kPits);
    if (seeds == 0) continue;
    const Store to = split ? Store::both : own_rows ? store_of(norths) : store_of(north);  // the rest goes to the player to move: the other one slammed
    steps.push_back({Kind::sweep, static_cast<std::uint8_t>(pit), static_cast<std::uint8_t>(seeds), to});
  }
  return steps;
}

}  // namespace wari
