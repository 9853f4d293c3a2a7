#include "arena/uci_engine.h"

#include <algorithm>
#include <sstream>

#include "arena/player.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"

namespace wari {
namespace {

constexpr int kMostFailedStarts = 3;
constexpr int kMinuteMs = 60'000;  // for a move to a depth without a time
constexpr int kStopMs = 2000;      // for an answer to `stop` once a game is lost on time; then the program is ended

std::string position_command(const Game& game) {
  const bool from_start = position_text(game.start()) == position_text(start_position(game.rules()));
  std::string command = "position " + (from_start ? std::string("startpos") : "fen " + position_text(game.start()));
  if (game.plies() > 0) command += " moves " + line_text(game);
  return command;
}

// The other player's clock is not known here: it is said to show the same.
std::string go_command(const UciSettings& settings, std::chrono::milliseconds clock) {
  std::string command = "go";
  if (settings.depth > 0) command += " depth " + std::to_string(settings.depth);
  if (settings.time_ms > 0) {
    const std::string left = std::to_string(clock.count()), increment = std::to_string(settings.increment_ms);
    command += " wtime " + left + " btime " + left + " winc " + increment + " binc " + increment;
  } else if (settings.depth == 0) {
    command += " movetime " + std::to_string(settings.movetime_ms);
  }
  return command;
}

}  // namespace

UciEngine::~UciEngine() {
  ask_to_quit();
  if (process_) process_->wait_for_end(500);
}

void UciEngine::ask_to_quit() {
  if (process_) process_->write_line("quit");
}

void UciEngine::start() {
  if (state_ != State::off) return;
  process_ = std::make_unique<ChildProcess>(settings_.command);
  has_last_ = false;
  state_ = State::greeting;
  set_deadline(settings_.start_ms);
  process_->write_line("uci");
}

bool UciEngine::plays_on(const Game& game) const {
  return has_last_ && game.plies() > static_cast<int>(last_.size()) && position_text(game.start()) == position_text(last_start_) &&
         std::equal(last_.begin(), last_.end(), game.actions().begin());
}

void UciEngine::begin(const Game& game) {
  game_ = &game;
  result_.reset();
  if (state_ == State::ready)
    prepare();
  else
    start();
}

void UciEngine::prepare() {
  if (plays_on(*game_)) return go();
  clock_ = std::chrono::milliseconds(settings_.time_ms);
  process_->write_line("ucinewgame");
  process_->write_line("isready");
  state_ = State::preparing;
  set_deadline(settings_.start_ms);
}

void UciEngine::go() {
  last_start_ = game_->start();
  last_.assign(game_->actions().begin(), game_->actions().end());
  has_last_ = true;
  stop_sent_ = false;
  state_ = State::thinking;
  process_->write_line(position_command(*game_));
  process_->write_line(go_command(settings_, clock_));
  went_ = Clock::now();
  deadline_ = went_ + (settings_.time_ms > 0 ? clock_ : std::chrono::milliseconds(settings_.movetime_ms > 0 ? settings_.movetime_ms : kMinuteMs));
}

void UciEngine::finish(int result) {
  result_ = result;
  game_ = nullptr;
}

std::optional<int> UciEngine::update() {
  if (process_) {
    process_->read_available();
    for (std::string line; process_ && process_->take_line(line);) take(line);
    if (process_ && process_->output_closed()) ended();
    if (process_ && state_ != State::ready && Clock::now() >= deadline_) out_of_time();
  }
  const std::optional<int> result = result_;
  result_.reset();
  return result;
}

void UciEngine::take(const std::string& line) {
  std::istringstream words(line);
  std::string first, second;
  words >> first >> second;
  if (first == "id" && second == "name") {
    std::getline(words >> std::ws, name_);
  } else if (first == "uciok" && state_ == State::greeting) {
    state_ = State::starting;
    process_->write_line("isready");
  } else if (first == "readyok" && (state_ == State::starting || state_ == State::preparing)) {
    const bool was_start = state_ == State::starting;
    state_ = State::ready;
    failed_starts_ = 0;
    if (game_ != nullptr) was_start ? prepare() : go();
  } else if (first == "bestmove" && (state_ == State::thinking || state_ == State::late)) {
    take_best(second);
  }
}

void UciEngine::take_best(const std::string& move) {
  const bool was_late = state_ == State::late;
  state_ = State::ready;
  if (was_late || !stop_clock()) return finish(kOutOfTime);
  int action = kIllegalMove;
  try {
    action = parse_move(*game_, move);
  } catch (const Error&) {  // "0000" too: where a player is asked there is a move
  }
  finish(action);
}

// False: it has run out.
bool UciEngine::stop_clock() {
  if (settings_.time_ms == 0) return true;
  clock_ -= std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - went_);
  const bool in_time = clock_.count() >= -settings_.margin_ms;
  clock_ = std::max(clock_, std::chrono::milliseconds(0)) + std::chrono::milliseconds(settings_.increment_ms);
  return in_time;
}

// Its output is closed: it has ended, or will be.
void UciEngine::ended() {
  process_->wait_for_end(100);
  const State before = state_;
  if ((before == State::greeting || before == State::starting) && ++failed_starts_ == kMostFailedStarts)
    fail_to_start(process_->exit_text() + " before it was ready");
  process_.reset();
  state_ = State::off;
  if (before == State::greeting || before == State::starting) return start();
  if (game_ != nullptr) finish(before == State::late ? kOutOfTime : kCrashed);
}

void UciEngine::out_of_time() {
  if (state_ == State::greeting || state_ == State::starting) fail_to_start("is not ready after " + std::to_string(settings_.start_ms) + " ms");
  if (state_ == State::thinking && !stop_sent_) {  // a depth was asked for, and the time for it is over; with a movetime or a clock it has stopped by itself, or is about to
    stop_sent_ = true;
    if (settings_.depth > 0 && settings_.time_ms == 0) process_->write_line("stop");
    deadline_ += std::chrono::milliseconds(settings_.margin_ms);
  } else if (state_ == State::thinking) {
    state_ = State::late;
    process_->write_line("stop");
    set_deadline(kStopMs);
  } else {  // it does not even stop
    process_.reset();
    state_ = State::off;
    finish(kOutOfTime);
  }
}

void UciEngine::abandon() {
  process_.reset();
  state_ = State::off;
  game_ = nullptr;
  result_.reset();
}

void UciEngine::fail_to_start(const std::string& how) const {
  const std::string said = process_->last_lines();
  throw Error("a program that " + how + ": " + quote(settings_.command) + ": run it by hand and type 'uci'" +
              (said.empty() ? "; it said nothing" : "; it said last:\n" + said));
}

}  // namespace wari
