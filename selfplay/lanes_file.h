#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/selfplay_engine.h"
#include "selfplay/game_record.h"

namespace wari {

// lanes.bin: one game in flight a lane, in order of lanes; a lane without a game holds a record with game -1. The lane's position and history follow from the
// record by replaying.
std::string pack_lanes(std::span<const GameRecord> lanes, std::span<const Rules> rules);

// Throws Error naming `name` and why: foreign, truncated, damaged, another version, other rule sets, a record that does not replay.
std::vector<GameRecord> unpack_lanes(std::string_view bytes, std::span<const Rules> rules, const std::string& name);

// What an engine needs to go on with the game.
LaneState lane_state(const GameRecord& game, std::span<const Rules> rules);

}  // namespace wari
