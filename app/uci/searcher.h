#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/engine.h"
#include "app/uci/search_run.h"

namespace wari {

// The thread that thinks. It owns the engine, so that whoever reads the other program's lines never waits for either.
class UciSearcher {
 public:
  using LoadEngine = std::function<Engine(const EngineSettings&)>;

  // Called on the searcher's thread: `say` for all but the bestmove; `ended` with it after each begin(), with nothing after each prepare().
  UciSearcher(LoadEngine load, UciSay say, UciSay ended);
  ~UciSearcher();  // stops what goes on and waits for it
  UciSearcher(const UciSearcher&) = delete;
  UciSearcher& operator=(const UciSearcher&) = delete;

  // One at a time: the next only after `ended`. A search that is stopped from the outset still gives its one bestmove.
  void begin(UciSearch search, bool stopped);
  void prepare(const EngineSettings& settings);  // loads the engine
  void stop() { control_.stop(); }
  void ponder_hit() { control_.ponder_hit(); }

 private:
  struct Job {
    EngineSettings engine;
    std::optional<UciSearch> search;
  };

  void give(Job job);
  void loop();
  std::string work(const Job& job);
  Engine& engine_for(const EngineSettings& settings);
  void say_error(const char* what);

  LoadEngine load_;
  UciSay say_;
  UciSay ended_;
  std::optional<Engine> engine_;
  std::optional<Game> last_game_;  // searched
  UciLateness lateness_;
  UciControl control_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;
  bool quit_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace wari
