#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/selfplay_engine.h"
#include "selfplay/endgame_settings.h"
#include "selfplay/game_record.h"
#include "selfplay/rules_mix.h"

namespace wari {

// Keys under `selfplay`; those of PlaySettings stand beside `lanes`, those of the search in the group `search`.
struct SelfplaySettings {
  int lanes = 1024;         // games at once, of the process
  PlaySettings play;
  SearchSettings search;
  EndgameSettings endgame;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("lanes", lanes, 1, 1 << 20, "games played at once by the whole process; some hundreds per worker fill the network's batches");
    play.fields(v);
    v.group("search", search, "how a move is searched");
    v.group("endgame", endgame, "what is known of positions with few seeds");
  }
};

using EngineFactory = std::function<std::unique_ptr<SelfplayEngine>(const SelfplayEngineSettings&, std::unique_ptr<Evaluator>)>;

// What a run of self-play needs beside its settings.
struct SelfplayOptions {
  RulesMix rules;
  EndgameTables tables;                 // of prepare_endgame_tables()
  std::uint64_t seed = 0;
  int workers = 1;                      // engines, a thread each; the calling thread is one of them
  std::int64_t games_end = INT64_MAX;   // no game with this number or above is begun
  EngineFactory make_engine;            // empty: make_cpu_selfplay_engine
};

// Self-play on all workers: the lanes split in contiguous blocks over engines of their own, the finished games gathered. Games in flight are carried over when
// the network changes, and over restarts through save() and load().
class Selfplay {
 public:
  // Every worker gets a clone of `evaluator`.
  Selfplay(const SelfplaySettings& settings, SelfplayOptions options, const Evaluator& evaluator);
  ~Selfplay();
  Selfplay(const Selfplay&) = delete;
  Selfplay& operator=(const Selfplay&) = delete;

  // Runs `waves` waves on all engines at once (fewer once every lane is idle) and appends the games that finished, in order of their numbers. An exception of a
  // worker is thrown here.
  void run(int waves, std::vector<GameRecord>& finished);
  bool all_idle() const;
  // No game with this number or above is begun until a higher one is given; the options' games_end holds all the same.
  void hold_games_from(std::int64_t number);

  // The next network: searches under way are dropped and begun anew, the games go on.
  void set_evaluator(const Evaluator& evaluator);

  // The games in flight as the bytes of lanes.bin. Searches under way are dropped and begun anew here too, so that a run that goes on and one that is loaded
  // play the same.
  std::string save();
  // Takes up the games of save(); `name` is the file's name for messages. Throws Error when the bytes are damaged, of another version or other rule sets.
  // With another number of lanes the games in flight are dropped and lane l goes on with games M + l, M + l + lanes, ..., M being the first number above all
  // begun. Returns how many games were dropped.
  std::int64_t load(std::string_view bytes, const std::string& name);

  // Sums over the engines since construction (load() included); seconds are of all workers together.
  EngineCounters counters() const;
  int lanes() const;
  int workers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wari
