#include "app/uci/searcher.h"

#include <exception>
#include <utility>

#include "app/uci/continued_game.h"
#include "app/uci/info.h"
#include "core/notation.h"

namespace wari {
namespace {

// What is played where a search broke off: any legal move keeps the game alive.
std::string fallback_bestmove(const Game& game) {
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) != 0) return "bestmove " + move_text(game.position(), action);
  }
  return "bestmove 0000";
}

}  // namespace

UciSearcher::UciSearcher(LoadEngine load, UciSay say, UciSay ended)
    : load_(std::move(load)), say_(std::move(say)), ended_(std::move(ended)), thread_([this] { loop(); }) {}

UciSearcher::~UciSearcher() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    changed_.notify_all();
  }
  control_.stop();
  thread_.join();
}

void UciSearcher::begin(UciSearch search, bool stopped) {
  control_.reset(stopped);
  const EngineSettings engine = search.engine;
  give({engine, std::move(search)});
}

void UciSearcher::prepare(const EngineSettings& settings) { give({settings, std::nullopt}); }

void UciSearcher::give(Job job) {
  const std::lock_guard lock(mutex_);
  job_ = std::move(job);
  changed_.notify_all();
}

void UciSearcher::loop() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return quit_ || job_; });
    if (!job_) return;
    const Job job = std::move(*job_);
    job_.reset();
    lock.unlock();
    ended_(work(job));
  }
}

std::string UciSearcher::work(const Job& job) {
  try {
    Engine& engine = engine_for(job.engine);
    if (!job.search) return "";
    UciSearch search = *job.search;
    if (last_game_ && !search.forget) search.game = continued_game(*last_game_, search.game);
    last_game_ = search.game;
    return run_search(search, *engine.thinker, control_, lateness_, say_);
  } catch (const std::exception& e) {
    say_error(e.what());
    if (!job.search) return "";
    if (job.search->go.ponder) control_.wait_for_stop_or_hit();
    if (job.search->go.infinite) control_.wait_for_stop();
    return fallback_bestmove(job.search->game);
  }
}

// The engine asked for; where it cannot be loaded the one before, if it plays these rules, else random games.
Engine& UciSearcher::engine_for(const EngineSettings& settings) {
  if (engine_ && engine_->settings == settings) return *engine_;
  try {
    engine_ = load_(settings);
    engine_->settings = settings;
    if (!engine_->note.empty()) say_(info_string(engine_->note));
  } catch (const std::exception& e) {
    say_error(e.what());
    if (engine_ && settings.rules && engine_->rules == *settings.rules) return *engine_;
    EngineSettings plain = settings;
    plain.checkpoint.clear();
    plain.table = kNoTable;
    engine_ = load_(plain);
    say_(info_string("random games judge the positions instead"));
  }
  return *engine_;
}

void UciSearcher::say_error(const char* what) { say_(info_string(std::string("error: ") + what)); }

}  // namespace wari
