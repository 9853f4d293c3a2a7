#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arena/child_process.h"
#include "core/game.h"

// One running program that speaks the UCI dialect of the Oware programs (docs/evaluation.md).
namespace wari {

struct UciSettings {
  std::string command;   // path of an executable or a script
  int movetime_ms = 0;   // for a move; 0: no such limit, which wants a depth
  int depth = 0;         // plies; 0: no such limit
  int time_ms = 0;       // on its clock at the start of a game; 0: no clock
  int increment_ms = 0;  // that a move adds to it
  int margin_ms = 1000;  // by which an answer may be late before the game is lost
  int start_ms = 30000;  // for the program to be ready, at its start and before each game
};

// Nothing here waits: begin() a move, then call update() whenever the program may have said something, or the deadline is there, until it gives a result.
class UciEngine {
 public:
  using Clock = std::chrono::steady_clock;

  explicit UciEngine(const UciSettings& settings) : settings_(settings) {}
  ~UciEngine();
  UciEngine(const UciEngine&) = delete;
  UciEngine& operator=(const UciEngine&) = delete;

  void start();  // if it does not run; without it begin() does so. Throws Error where there is nothing to run
  void begin(const Game& game);
  // An action of the game begun, or kCrashed, kOutOfTime, kIllegalMove. Throws Error where the program does not get ready, or ended three times before it was.
  std::optional<int> update();
  bool is_ready() const { return state_ == State::ready; }
  bool is_thinking() const { return game_ != nullptr; }
  bool plays_on(const Game& game) const;  // the game that it chose a move for last, some moves later
  Clock::time_point deadline() const { return deadline_; }
  ChildProcess* process() { return process_.get(); }  // null: none runs
  void ask_to_quit();
  void abandon();  // the move begun; the program is ended

  const std::string& name() const { return name_; }  // as it says itself

 private:
  enum class State { off, greeting, starting, ready, preparing, thinking, late };

  void set_deadline(int milliseconds) { deadline_ = Clock::now() + std::chrono::milliseconds(milliseconds); }
  void prepare();
  void go();
  void take(const std::string& line);
  void take_best(const std::string& move);
  bool stop_clock();
  void finish(int result);
  void ended();
  void out_of_time();
  [[noreturn]] void fail_to_start(const std::string& how) const;

  UciSettings settings_;
  std::unique_ptr<ChildProcess> process_;
  State state_ = State::off;
  const Game* game_ = nullptr;  // begun
  std::optional<int> result_;
  Clock::time_point deadline_{};
  bool stop_sent_ = false;
  std::chrono::milliseconds clock_{0};  // what is left of it
  Clock::time_point went_{};            // when it was told to think
  int failed_starts_ = 0;  // in a row
  std::string name_;
  Position last_start_{};           // of the game it thought about last
  std::vector<std::uint8_t> last_;  // and its actions up to there
  bool has_last_ = false;
};

}  // namespace wari
