#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/engine.h"
#include "app/server/checkpoint_names.h"
#include "core/game.h"

// A few trees for all who ask, within a bound of memory. Whose game goes on from what a tree thought of last gets that tree, with all that it knows.
namespace wari {

struct EnginePoolSettings {
  int trees = 6;        // at once; whoever comes when all are in use waits
  int tree_mb = 96;     // of each, at most
  int threads = 0;      // of one search; 0: one per core
};

class EnginePool {
 public:
  explicit EnginePool(const EnginePoolSettings& settings) : settings_(settings) {}

  // A tree and the engine that it belongs to, for one user at a time.
  struct Seat {
    std::shared_ptr<const Engine> engine;
    std::unique_ptr<Thinker> thinker;
    std::string key;           // checkpoint and rules
    std::optional<Game> game;  // that it thought of last
    bool in_use = false;
    std::uint64_t last_use = 0;
  };

  // Gives the seat back at its end.
  class Use {
   public:
    Use(EnginePool& pool, Seat& seat) : pool_(&pool), seat_(&seat) {}
    Use(Use&& other) noexcept : pool_(other.pool_), seat_(std::exchange(other.seat_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (seat_ != nullptr) pool_->give_back(*seat_);
    }
    Thinker& thinker() const { return *seat_->thinker; }
    const std::shared_ptr<const Engine>& engine() const { return seat_->engine; }

   private:
    EnginePool* pool_;
    Seat* seat_;
  };

  struct Wish {
    std::optional<NamedCheckpoint> checkpoint;  // none: random games judge
    bool table = true;                          // looked up in the search where there is one
    bool fresh = false;                         // a tree that knows nothing, as limited strengths need
    bool brief = false;                         // ends within seconds, as a game's moves do: a third of the trees is kept for such
  };
  // A thinker that is set to `game`. None where `give_up` said so while all trees were in use. Throws Error where the checkpoint cannot be loaded.
  std::optional<Use> take(const Wish& wish, const Game& game, const std::function<bool()>& give_up);
  // The engine alone, for what is known of it without thinking.
  std::shared_ptr<const Engine> engine(const std::optional<NamedCheckpoint>& checkpoint, bool table, const Rules& rules);

 private:
  Seat* find_seat(const std::string& key, const Game& game, bool brief);  // free to be used; null: none
  void give_back(Seat& seat);

  EnginePoolSettings settings_;
  std::mutex mutex_;       // of all below
  std::condition_variable freed_;
  std::list<Seat> seats_;
  std::uint64_t uses_ = 0;
  std::mutex loading_;     // one engine is loaded at a time, and found by whoever wanted the same; of all below
  std::list<std::pair<std::string, std::weak_ptr<const Engine>>> engines_;  // by key
  std::list<std::shared_ptr<const Engine>> recent_;                         // the last few stay, though nobody thinks with them
};

}  // namespace wari
