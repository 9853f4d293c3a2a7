#include <poll.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "arena/player.h"
#include "arena/uci_engine.h"
#include "core/content_hash.h"
#include "core/durable_file.h"

namespace wari {
namespace {

constexpr int kLookMs = 100;  // between looks at whether to stop

// As many programs as workers, each with a game of its own, all watched by the one thread that calls.
class UciPlayer final : public Player {
 public:
  UciPlayer(std::string name, const UciSettings& settings, int workers, std::function<bool()> stop_requested)
      : name_(std::move(name)), stop_requested_(std::move(stop_requested)) {
    for (int worker = 0; worker < workers; ++worker) engines_.push_back(std::make_unique<UciEngine>(settings));
    // The first is started now: what is wrong with it is better known before the match.
    engines_.front()->start();
    while (!engines_.front()->is_ready() && !is_stopped()) {
      wait();
      engines_.front()->update();
    }
    set_version(engines_.front()->name() + " [" + content_hash(read_whole_file(settings.command)).substr(0, 8) + "]");
  }

  ~UciPlayer() override {
    for (const auto& engine : engines_) engine->ask_to_quit();  // all of them before the first is waited for
  }

  std::string name() const override { return name_; }
  int games_at_once() const override { return static_cast<int>(engines_.size()); }

  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    std::vector<int> actions(games.size(), kNotChosen);
    std::vector<std::size_t> waiting;  // games that no program thinks about yet
    for (std::size_t game = 0; game < games.size(); ++game) waiting.push_back(game);
    std::vector<std::size_t> place(engines_.size(), 0);  // the game of each thinking program
    std::size_t chosen = 0;
    while (chosen < games.size() && !is_stopped()) {
      hand_out(games, waiting, place);
      wait();
      for (std::size_t i = 0; i < engines_.size(); ++i) {
        if (const std::optional<int> action = engines_[i]->update()) {
          actions[place[i]] = *action;
          ++chosen;
        }
      }
    }
    for (const auto& engine : engines_) {
      if (engine->is_thinking()) engine->abandon();
    }
    return actions;
  }

 private:
  bool is_stopped() const { return stop_requested_ && stop_requested_(); }

  // A game goes to the program that has it already, any other to one that is free.
  void hand_out(std::span<const Game* const> games, std::vector<std::size_t>& waiting, std::vector<std::size_t>& place) {
    for (const bool only_known : {true, false}) {
      std::erase_if(waiting, [&](std::size_t game) {
        const auto free = std::find_if(engines_.begin(), engines_.end(),
                                       [&](const auto& engine) { return !engine->is_thinking() && (!only_known || engine->plays_on(*games[game])); });
        if (free == engines_.end()) return false;
        (*free)->begin(*games[game]);
        place[static_cast<std::size_t>(free - engines_.begin())] = game;
        return true;
      });
    }
  }

  // Until a program says something or its time is over.
  void wait() {
    std::vector<pollfd> descriptors;
    auto until = UciEngine::Clock::now() + std::chrono::milliseconds(kLookMs);
    for (const auto& engine : engines_) {
      if (engine->process() == nullptr) continue;
      for (const int descriptor : {engine->process()->output_descriptor(), engine->process()->error_descriptor()}) {
        if (descriptor >= 0) descriptors.push_back({descriptor, POLLIN, 0});
      }
      if (!engine->is_ready()) until = std::min(until, engine->deadline());
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - UciEngine::Clock::now()).count();
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<long>(left + 1, 0)));
  }

  std::string name_;
  std::function<bool()> stop_requested_;
  std::vector<std::unique_ptr<UciEngine>> engines_;  // [workers]
};

}  // namespace

std::unique_ptr<Player> make_uci_player(std::string name, const UciSettings& settings, const PlayerEnvironment& environment) {
  return std::make_unique<UciPlayer>(std::move(name), settings, environment.workers, environment.stop_requested);
}

}  // namespace wari
