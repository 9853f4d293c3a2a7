#include "app/uci/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/uci/info.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/random.h"

namespace wari {
namespace {

// Rules that nobody chose are those of the checkpoint. Throws Error where that is gone.
void resolve_rules(UciOptions& options) {
  EngineSettings settings = options.engine;
  if (!options.rules_chosen) settings.rules.reset();
  options.engine.rules = engine_rules(settings);
}

const std::vector<std::string> kCommands = {"uci", "debug", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "wait", "d", "quit"};

}  // namespace

UciSession::UciSession(const UciOptions& options, std::string name, std::uint64_t seed, Callbacks callbacks)
    : options_(options), name_(std::move(name)), seed_(seed), callbacks_(std::move(callbacks)), searcher_(callbacks_.load, callbacks_.say, [this](const std::string& bestmove) { job_ended(bestmove); }) {
  const std::lock_guard lock(mutex_);
  resolve_rules(options_);
  follow_rules();
  prepare_engine();
}

void UciSession::line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (over_) return;
  const std::vector<std::string> words = uci_words(line);
  const bool passes = !words.empty() && (words[0] == "stop" || words[0] == "ponderhit");
  if (waiting_ && !passes) {
    held_.emplace_back(line);
    return;
  }
  take(line);
}

void UciSession::end_of_input() {
  const std::lock_guard lock(mutex_);
  input_ended_ = true;
  if (!waiting_) quit();
}

void UciSession::wait_until_over() {
  std::unique_lock lock(mutex_);
  over_changed_.wait(lock, [this] { return over_ && running_ == Running::nothing && next_.empty(); });
}

void UciSession::take(std::string_view line) {
  std::vector<std::string> words = uci_words(line);
  if (words.empty()) return;
  const std::string command = words[0];
  words.erase(words.begin());
  try {
    obey(command, words);
  } catch (const std::exception& e) {
    complain(e.what());
  }
}

void UciSession::obey(const std::string& command, const std::vector<std::string>& words) {
  if (command == "uci") return answer_uci();
  if (command == "isready") return answer_ready();
  if (command == "setoption") return set(parse_setoption(words));
  if (command == "position") {
    game_ = parse_uci_position(words, *options_.engine.rules);
  } else if (command == "go") {
    go(words);
  } else if (command == "stop") {
    stop();
  } else if (command == "ponderhit") {
    ponder_hit();
  } else if (command == "wait") {
    wait();
  } else if (command == "ucinewgame") {
    new_game_ = true;
    game_ = Game(*options_.engine.rules);
  } else if (command == "debug") {
    if (words.size() > 1 || (words.size() == 1 && words[0] != "on" && words[0] != "off")) throw Error("bad value " + quote(words[0]) + ": debug: write 'debug on' or 'debug off'");
    debug_ = words.empty() ? !debug_ : words[0] == "on";
  } else if (command == "d") {
    draw_board();
  } else if (command == "quit") {
    quit();
  } else {
    throw Error("unknown command " + quote(command) + ": " + suggestion(command, kCommands));
  }
}

void UciSession::answer_uci() {
  callbacks_.say("id name " + name_);
  callbacks_.say("id author the wari authors");
  for (const std::string& line : option_lines(options_)) callbacks_.say(line);
  callbacks_.say("uciok");
}

// At once while a search goes on; else when the engine is there.
void UciSession::answer_ready() {
  if (is_searching() || (running_ == Running::nothing && !engine_changed_)) return callbacks_.say("readyok");
  ++ready_wanted_;
  if (running_ == Running::nothing) prepare_engine();
}

void UciSession::prepare_engine() {
  running_ = Running::engine_load;
  engine_changed_ = false;
  searcher_.prepare(options_.engine);
}

void UciSession::set(const UciOption& option) {
  UciOptions changed = options_;
  set_option(changed, option);
  if (!(changed.engine == options_.engine) || changed.rules_chosen != options_.rules_chosen) {
    check_engine(changed.engine);
    resolve_rules(changed);
  }
  if (changed.log_file != options_.log_file && callbacks_.set_log_file) callbacks_.set_log_file(changed.log_file);
  const UciOptions before = std::exchange(options_, changed);
  engine_changed_ = engine_changed_ || !(before.engine == changed.engine);
  follow_rules();
}

// A game by other rules has no meaning any more.
void UciSession::follow_rules() {
  if (game_.rules() == *options_.engine.rules) return;
  game_ = Game(*options_.engine.rules);
  new_game_ = true;
}

void UciSession::go(const std::vector<std::string>& words) {
  const auto received = UciControl::Clock::now();
  const UciGo go = parse_go(words);
  for (const std::string& word : go.ignored) complain("'" + word + "' has no effect: go: all moves are searched");
  stop();  // one that still goes on gives its bestmove first
  UciSearch search{options_.engine, game_, go, options_.strength(), std::chrono::milliseconds(options_.overhead_ms), options_.show_wdl, debug_, new_game_,
                   random_bits(seed_, searches_++, 0, Purpose::move_choice, 0), received};
  new_game_ = false;
  engine_changed_ = false;
  infinite_ = go.infinite;
  pondering_ = go.ponder;
  next_.push_back({std::move(search), false});
  if (running_ == Running::nothing) begin_next();
}

void UciSession::stop() {
  if (!next_.empty()) next_.back().stopped = true;
  else if (running_ == Running::search) searcher_.stop();
  infinite_ = pondering_ = false;
}

void UciSession::ponder_hit() {
  if (!is_searching() || !pondering_) throw Error("nothing is pondered: ponderhit: 'go ponder' comes first");
  // A search that has not begun is an ordinary one by now.
  if (next_.empty()) {
    searcher_.ponder_hit();
  } else {
    next_.back().search.go.ponder = false;
    next_.back().search.received = UciControl::Clock::now();
  }
  pondering_ = false;
}

void UciSession::wait() {
  if (!is_searching()) return;
  if (infinite_ || pondering_) throw Error("the search has no end: wait: send 'stop' instead");
  waiting_ = true;
}

void UciSession::draw_board() {
  std::istringstream lines(board_text(game_.position()));
  for (std::string line; std::getline(lines, line);) callbacks_.say(line);
  callbacks_.say("position " + position_text(game_.position()));
  callbacks_.say("rules " + rules_name(game_.rules()));
  if (game_.plies() > 0) callbacks_.say("moves " + line_text(game_));
  if (game_.is_over()) callbacks_.say("the game is over");
}

void UciSession::quit() {
  stop();
  over_ = true;
  held_.clear();
  over_changed_.notify_all();
}

void UciSession::begin_next() {
  Next next = std::move(next_.front());
  next_.pop_front();
  running_ = Running::search;
  searcher_.begin(std::move(next.search), next.stopped);
}

// The bestmove is said here: whoever answers it at once finds no search going on.
void UciSession::job_ended(const std::string& bestmove) {
  const std::lock_guard lock(mutex_);
  running_ = Running::nothing;
  if (!bestmove.empty()) callbacks_.say(bestmove);
  for (; ready_wanted_ > 0; --ready_wanted_) callbacks_.say("readyok");
  if (!next_.empty()) return begin_next();
  waiting_ = false;
  while (!held_.empty() && !waiting_ && !over_) {
    const std::string line = std::move(held_.front());
    held_.pop_front();
    take(line);
  }
  if (input_ended_ && !waiting_ && !over_) quit();
  over_changed_.notify_all();
}

void UciSession::complain(const std::string& what) { callbacks_.say(info_string(what)); }

}  // namespace wari
