#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "search/move_log.h"
#include "selfplay/assembler.h"

// Games by random play as an engine would log them: for tests of everything that comes after the engine.
namespace wari::test {

inline std::uint32_t draw(std::uint64_t game, int ply, std::uint32_t index, std::uint32_t count) {
  return random_below(random_bits(7, game, static_cast<std::uint32_t>(ply), Purpose::test, index), count);
}

// A policy target over the legal actions that sums to 65535 and is never even.
inline void fill_policy(std::uint16_t legal, std::uint64_t game, int ply, std::uint16_t* policy) {
  int left = 65535, last = 0;
  for (int action = 0; action < kActions; ++action) {
    policy[action] = 0;
    if (!(legal >> action & 1)) continue;
    policy[action] = static_cast<std::uint16_t>(draw(game, ply, 100 + static_cast<std::uint32_t>(action), static_cast<std::uint32_t>(left / 2 + 1)));
    left -= policy[action];
    last = action;
  }
  policy[last] = static_cast<std::uint16_t>(policy[last] + left);
}

// The move that `game` makes next: random plies first, forced moves, full and capped searches.
inline MoveRecord next_move(const Game& game, std::uint64_t number, std::uint8_t rules_index) {
  MoveRecord move{};
  const int ply = game.plies();
  move.game = number;
  move.position = game.position();
  move.ply = static_cast<std::uint16_t>(ply);
  move.quiet_plies = static_cast<std::uint16_t>(game.quiet_plies());
  move.rules_index = rules_index;
  std::vector<int> legal;
  for (int action = 0; action < kActions; ++action) {
    if (game.legal() >> action & 1) legal.push_back(action);
  }
  move.action = static_cast<std::uint8_t>(legal[draw(number, ply, 0, static_cast<std::uint32_t>(legal.size()))]);
  if (ply < static_cast<int>(number % 3)) {
    move.flags = kFlagRandom;
  } else if (legal.size() == 1) {
    move.flags = kFlagForced;
  } else if (draw(number, ply, 1, 4) != 0) {
    move.flags = kFlagFull;
    fill_policy(game.legal(), number, ply, move.policy);
    move.surprise = static_cast<std::uint16_t>(draw(number, ply, 2, 4096));
  }
  if (!(move.flags & kFlagRandom)) move.root_value = static_cast<std::int16_t>(static_cast<int>(draw(number, ply, 3, 65535)) - 32767);
  move.network_value = static_cast<std::int16_t>(static_cast<int>(draw(number, ply, 4, 65535)) - 32767);
  return move;
}

inline std::vector<MoveRecord> fake_log(const Rules& rules, std::uint64_t number, std::uint8_t rules_index = 0) {
  std::vector<MoveRecord> log;
  Game game(rules);
  while (!game.is_over()) {
    log.push_back(next_move(game, number, rules_index));
    game.play(log.back().action);
    log.back().end = static_cast<std::uint8_t>(game.end());
  }
  return log;
}

inline GameRecord fake_game(const Rules& rules, std::int64_t number) {
  GameAssembler assembler({rules});
  std::vector<GameRecord> finished;
  assembler.add(fake_log(rules, static_cast<std::uint64_t>(number)), finished);
  return finished.at(0);
}

inline std::vector<GameRecord> fake_games(const Rules& rules, std::int64_t first, std::int64_t count) {
  std::vector<GameRecord> games;
  for (std::int64_t number = first; number < first + count; ++number) games.push_back(fake_game(rules, number));
  return games;
}

// A folder of the test's own, removed with it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) : path_(std::filesystem::temp_directory_path() / ("wari-test-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The text of the Error that `run` throws; empty if it throws none.
template <class Run>
std::string error_of(Run run) {
  try {
    run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

}  // namespace wari::test
