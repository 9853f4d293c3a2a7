#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/uci/options.h"
#include "app/uci/searcher.h"
#include "core/game.h"

namespace wari {

// One conversation in the UCI dialect of the Oware programs (docs/engine.md): what was set, the position, and the searches that were asked for, each of which gives exactly
// one bestmove. Nothing here waits; what cannot be understood or done is answered by "info string ..." and changes nothing.
class UciSession {
 public:
  struct Callbacks {
    UciSearcher::LoadEngine load;
    UciSay say;                                                 // from several threads
    std::function<void(const std::string& file)> set_log_file;  // empty: none. Throws Error
  };

  UciSession(const UciOptions& options, std::string name, std::uint64_t seed, Callbacks callbacks);

  void line(std::string_view line);
  void end_of_input();    // as `quit`, but after what `wait` holds back
  void wait_until_over();  // `quit`, and all searches have given their bestmoves

 private:
  void take(std::string_view line);
  void obey(const std::string& command, const std::vector<std::string>& words);
  void answer_uci();
  void answer_ready();
  void prepare_engine();
  void set(const UciOption& option);
  void go(const std::vector<std::string>& words);
  void stop();
  void ponder_hit();
  void wait();
  void draw_board();
  void quit();

  void begin_next();
  void job_ended(const std::string& bestmove);
  bool is_searching() const { return running_ == Running::search || !next_.empty(); }
  void follow_rules();
  void complain(const std::string& what);

  struct Next {
    UciSearch search;
    bool stopped;
  };
  enum class Running { nothing, engine_load, search };

  std::mutex mutex_;
  std::condition_variable over_changed_;
  UciOptions options_;
  const std::string name_;
  const std::uint64_t seed_;
  Callbacks callbacks_;
  bool engine_changed_ = true;
  bool debug_ = false;
  bool new_game_ = true;
  Game game_{Rules{}};
  std::uint64_t searches_ = 0;

  Running running_ = Running::nothing;
  bool infinite_ = false, pondering_ = false;  // the search asked for last: it does not end by itself
  std::deque<Next> next_;      // searches asked for and not begun; all that went before are told to stop
  int ready_wanted_ = 0;       // `isready` that wait for the engine to be loaded
  bool waiting_ = false;       // `wait`: lines are held until the search has ended
  std::deque<std::string> held_;
  bool input_ended_ = false;
  bool over_ = false;
  UciSearcher searcher_;       // last: its thread calls back
};

}  // namespace wari
