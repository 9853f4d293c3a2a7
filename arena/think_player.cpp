#include <utility>

#include "arena/choose_each.h"
#include "arena/player.h"
#include "search/thinker.h"

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
    return choose_each(games.size(), thinkers_.size(), [&](std::size_t worker, std::size_t i) { return choose_one(*thinkers_[worker], *games[i]); });
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
