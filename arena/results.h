#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arena/match.h"
#include "arena/ratings.h"

// All matches of a run in one SQLite file. A row has a key that its maker chooses; what is inserted again changes nothing, so an evaluation that is repeated
// after a kill leaves one row.
namespace wari {

struct StoredMatch {
  std::string key;    // unique: "iteration 12 random"
  int iteration = 0;  // of the run whose checkpoint `a` is; 0: none
  std::string a;      // names of players as the ratings show them
  std::string b;
  std::string rules;  // rules_name()
  std::string a_version;  // Player::version()
  std::string b_version;
  GameCounts first;  // A moves first
  GameCounts second;
  Pentanomial pairs{};  // by A's points; all 0: stored by a program that did not count them
  ForfeitCounts a_forfeits;
  ForfeitCounts b_forfeits;
  std::uint64_t seed = 0;
  int opening_plies = 0;  // where `openings` are random
  std::string openings;   // openings_name()
  int distinct_games = 0;
  double elo = 0;
  double elo_error_95 = 0;
  double seconds = 0;            // wall clock
  std::string version;           // of the program that played, and of its search
  std::int64_t unix_time_s = 0;  // when it was stored
};

StoredMatch stored_match(std::string key, int iteration, const Player& a, const Player& b, const MatchSettings& settings, const MatchResult& result);

// This program and its search, as StoredMatch::version.
std::string program_version();

class ResultsDatabase {
 public:
  enum class Access { write, read };
  // Opens or creates; a database of format 1 is brought to the present one, with what its rows do not tell left empty. Throws Error where the file is no database
  // of this kind or of a later format. With Access::read nothing is made or changed, and a file that is missing or of format 1 is an Error.
  explicit ResultsDatabase(const std::filesystem::path& file, Access access = Access::write);
  ~ResultsDatabase();
  ResultsDatabase(const ResultsDatabase&) = delete;
  ResultsDatabase& operator=(const ResultsDatabase&) = delete;

  bool insert(const StoredMatch& match);         // false if the key was there already
  int erase_after(int iteration);                // rows of later iterations: made again after a kill; returns how many
  std::vector<StoredMatch> matches() const;      // in order of insertion
  std::vector<PairRecord> pair_records() const;  // for rate_players()

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace wari
