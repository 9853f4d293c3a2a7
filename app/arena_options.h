#pragma once

#include <cstdint>
#include <string>

#include "app/commands.h"
#include "arena/match.h"
#include "arena/player.h"
#include "train/stop_request.h"

// What the commands that let players meet have in common.
namespace wari {

struct ArenaOptions {
  std::string rules = "abapa";
  int opening_plies = MatchSettings{}.opening_plies;
  std::string openings;       // file; empty: random lines
  int balanced_openings = 0;  // plies; 0: random lines
  BalanceSettings balance;
  std::uint64_t seed = MatchSettings{}.seed;
  int workers = 0;
  int lanes = PlayerEnvironment{}.lanes;
  std::string device = "cpu";
};

void add_arena_options(CLI::App& command, ArenaOptions& options);
std::string players_help();  // the PLAYERs and their options

// Rules, openings and seed; reads or makes the openings. Throws Error.
MatchSettings match_settings(const ArenaOptions& options);
PlayerEnvironment player_environment(const ArenaOptions& options, const Rules& rules, const StopRequest& stop);

nlohmann::ordered_json pairs_json(const Pentanomial& pairs);
nlohmann::ordered_json forfeits_json(const ForfeitCounts& forfeits);
// "crashed 1 time, ran out of time 2 times"; empty: none.
std::string forfeits_text(const ForfeitCounts& forfeits);

}  // namespace wari
