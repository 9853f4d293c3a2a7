#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>

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
    std::vector<int> actions(games.size(), -1);
    std::atomic<std::size_t> next{0};
    const std::size_t count = std::min(searchers_.size(), games.size());
    std::vector<std::exception_ptr> errors(count);
    const auto work = [&](std::size_t worker) {
      try {
        for (std::size_t i = next++; i < games.size(); i = next++) actions[i] = draw_one(searchers_[worker].search(*games[i], depth_).best, keys[i]);
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
  int depth_;
  std::vector<AlphaBeta> searchers_;  // [workers]
};

}  // namespace

std::unique_ptr<Player> make_random_player() { return std::make_unique<RandomPlayer>(); }
std::unique_ptr<Player> make_greedy_player() { return std::make_unique<GreedyPlayer>(); }
std::unique_ptr<Player> make_alphabeta_player(int depth, int workers) { return std::make_unique<AlphaBetaPlayer>(depth, workers); }

}  // namespace wari
