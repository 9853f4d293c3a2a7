#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "arena/player.h"

namespace wari {
namespace {

// A thinker for each thread, and games go to whichever is free: a tree does not depend on that.
class ThinkPlayer final : public Player {
 public:
  ThinkPlayer(std::string name, std::int64_t visits, const ThinkerSettings& settings, int workers, const Evaluator& evaluator)
      : name_(std::move(name)), visits_(visits) {
    for (int worker = 0; worker < workers; ++worker) thinkers_.push_back(make_thinker(settings, evaluator));
  }
  std::string name() const override { return name_; }
  int games_at_once() const override { return static_cast<int>(thinkers_.size()); }

  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    std::vector<int> actions(games.size(), -1);
    std::atomic<std::size_t> next{0};
    const std::size_t count = std::min(thinkers_.size(), games.size());
    std::vector<std::exception_ptr> errors(count);
    const auto work = [&](std::size_t worker) {
      try {
        for (std::size_t i = next++; i < games.size(); i = next++) actions[i] = choose_one(*thinkers_[worker], *games[i]);
      } catch (...) {
        errors[worker] = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t worker = 1; worker < count; ++worker) threads.emplace_back(work, worker);
      if (count > 0) work(0);
    }
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    return actions;
  }

 private:
  int choose_one(Thinker& thinker, const Game& game) const {
    thinker.set_game(game);
    thinker.forget();
    return thinker.think({visits_, {}, {}}).root.best;
  }

  std::string name_;
  std::int64_t visits_;
  std::vector<std::unique_ptr<Thinker>> thinkers_;  // [workers]
};

}  // namespace

std::unique_ptr<Player> make_think_player(std::string name, std::int64_t visits, const ThinkerSettings& settings, int workers, const Evaluator& evaluator) {
  return std::make_unique<ThinkPlayer>(std::move(name), visits, settings, workers, evaluator);
}

}  // namespace wari
