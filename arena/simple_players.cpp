#include <algorithm>
#include <string>
#include <utility>

#include "arena/choose_each.h"
#include "arena/player.h"
#include "core/random.h"
#include "search/alphabeta.h"

namespace wari {

std::vector<int> legal_list(const Game& game) {
  std::vector<int> actions;
  for (int action = 0; action < kActions; ++action) {
    if ((game.legal() >> action) & 1) actions.push_back(action);
  }
  return actions;
}

namespace {

int draw_one(const std::vector<int>& actions, std::uint64_t key) { return actions[random_below(mix64(key), static_cast<std::uint32_t>(actions.size()))]; }

class RandomPlayer final : public Player {
 public:
  std::string name() const override { return "random"; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override {
    std::vector<int> actions;
    for (std::size_t i = 0; i < games.size(); ++i) actions.push_back(draw_one(legal_list(*games[i]), keys[i]));
    return actions;
  }
};

class GreedyPlayer final : public Player {
 public:
  std::string name() const override { return "greedy"; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override {
    std::vector<int> actions;
    for (std::size_t i = 0; i < games.size(); ++i) actions.push_back(draw_one(most_seeds(*games[i]), keys[i]));
    return actions;
  }

 private:
  static std::vector<int> most_seeds(const Game& game) {
    std::vector<int> best;
    int most = -1;
    for (int action : legal_list(game)) {
      const int captured = play(sowing_tables(), game.rules(), game.position(), action).captured;
      if (captured > most) best.clear();
      if (captured >= most) best.push_back(action);
      most = std::max(most, captured);
    }
    return best;
  }
};

class AlphaBetaPlayer final : public Player {
 public:
  AlphaBetaPlayer(int depth, int workers) : depth_(depth), searchers_(static_cast<std::size_t>(workers)) {}
  std::string name() const override { return "alphabeta:depth=" + std::to_string(depth_); }

  // Games go to whichever thread is free; what is chosen does not depend on that, since a searcher's answer is exact.
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override {
    return choose_each(games.size(), searchers_.size(), [&](std::size_t worker, std::size_t i) { return draw_one(searchers_[worker].search(*games[i], depth_).best, keys[i]); });
  }

 private:
  int depth_;
  std::vector<AlphaBeta> searchers_;  // [workers]
};

}  // namespace

std::unique_ptr<Player> make_random_player() { return std::make_unique<RandomPlayer>(); }
std::unique_ptr<Player> make_greedy_player() { return std::make_unique<GreedyPlayer>(); }
std::unique_ptr<Player> make_alphabeta_player(int depth, int workers) { return std::make_unique<AlphaBetaPlayer>(depth, workers); }

}  // namespace wari
