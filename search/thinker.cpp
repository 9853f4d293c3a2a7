#include "search/thinker.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "search/answer.h"
#include "search/think_tree.h"

namespace wari {
namespace {

using Clock = std::chrono::steady_clock;

class TreeThinker final : public Thinker {
 public:
  TreeThinker(const ThinkerSettings& settings, const Evaluator& evaluator) : settings_(settings) {
    for (int worker = 0; worker < settings.workers; ++worker) evaluators_.push_back(evaluator.clone());
    set_game(Game{Rules{}});
    workers_ = std::make_unique<ChunkWorkers>(settings.workers,
                                              [this](int worker, int chunk) { tree_->judge_chunk(chunk, *evaluators_[static_cast<std::size_t>(worker)]); });
  }

  void set_game(const Game& game) override {
    if (!tree_ || !(game.rules() == game_.rules())) {
      tree_.reset();  // its memory first
      tree_ = make_think_tree(settings_, game.rules(), evaluators_[0]->needs_tokens());
      tree_->begin(game);
    } else if (const auto played = moves_since(game); !played || (!played->empty() && !tree_->follow(game, *played))) {
      tree_->begin(game);
    }
    game_ = game;
  }

  void forget() override {
    if (tree_) tree_->begin(game_);  // there is none where no memory was left for it
  }

  KnownMove known() const override { return game_.is_over() ? KnownMove{} : tree_->known(); }

  Thought think(const ThinkLimits& limits, const std::function<bool(const Thought&)>& go_on) override {
    const Clock::time_point start = Clock::now();
    if (game_.is_over()) {
      Thought thought;
      thought.root = result_of_finished(game_.rules(), game_.position(), game_.end());
      return thought;
    }
    try {
      return search(limits, go_on, start);
    } catch (...) {
      // Visits may be under way, or have come back in part.
      workers_->reset();
      tree_->begin(game_);
      throw;
    }
  }

 private:
  static constexpr std::chrono::milliseconds kReportInterval{20};

  // The moves from the game before to `game`; nothing if it did not go on from there.
  std::optional<std::span<const std::uint8_t>> moves_since(const Game& game) const {
    const std::span<const std::uint8_t> before = game_.actions(), now = game.actions();
    if (!(game.start() == game_.start()) || now.size() < before.size() || !std::equal(before.begin(), before.end(), now.begin())) return std::nullopt;
    return now.subspan(before.size());
  }

  Thought search(const ThinkLimits& limits, const std::function<bool(const Thought&)>& go_on, Clock::time_point start) {
    tree_->judge_root(*evaluators_[0]);
    const std::int64_t before = tree_->simulations();
    const std::int64_t most = std::clamp<std::int64_t>(limits.visits.value_or(kSimulationsMost), 0, kSimulationsMost);
    Clock::time_point now = Clock::now(), report = start + kReportInterval;
    Clock::duration step{}, step_before{};
    while (tree_->simulations() < most && !tree_->proven() && !is_deep(limits)) {
      // The next step takes about as long as the last ones; a single slow one may have been the machine's.
      if (limits.deadline && now + std::max(std::min(step, step_before), pause()) >= *limits.deadline) break;
      if (go_on && now >= report) {
        if (!go_on(thought(limits, before, start))) break;
        report = Clock::now() + kReportInterval;
      }
      tree_->step(most - tree_->simulations(), *workers_);
      const Clock::time_point end = Clock::now();
      step_before = std::exchange(step, end - now);
      now = end;
    }
    return thought(limits, before, start);
  }

  // What the next step may take beside its leaves.
  Clock::duration pause() const {
    constexpr std::chrono::nanoseconds kOfNode{100};
    return tree_->is_full() ? Clock::duration(kOfNode * tree_->nodes()) : Clock::duration{};
  }

  bool is_deep(const ThinkLimits& limits) const {
    if (!limits.depth) return false;
    return tree_->line_is_over() || static_cast<int>(tree_->result(0).line.size()) >= std::min(*limits.depth, kLineKept);
  }

  Thought thought(const ThinkLimits& limits, std::int64_t before, Clock::time_point start) const {
    Thought thought;
    thought.root = tree_->result(limits.visits.value_or(0));
    thought.simulations = tree_->simulations() - before;
    thought.nodes = tree_->nodes();
    thought.depth = static_cast<int>(thought.root.line.size());
    thought.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    thought.full = static_cast<double>(thought.nodes) / static_cast<double>(tree_->capacity());
    return thought;
  }

  static constexpr std::int64_t kSimulationsMost = 2'000'000'000;  // counts have 32 bits, and a sign

  ThinkerSettings settings_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;  // of the workers
  Game game_{Rules{}};
  std::unique_ptr<ThinkTree> tree_;        // of the game
  std::unique_ptr<ChunkWorkers> workers_;  // last: its threads use what stands above
};

}  // namespace

std::unique_ptr<Thinker> make_thinker(const ThinkerSettings& settings, const Evaluator& evaluator) {
  if (settings.search.algorithm != Algorithm::puct) throw Error("a long search of one position follows visit counts: algorithm: give puct");
  if (settings.workers < 1 || settings.batch < 0 || settings.visits_a_leaf < 1)
    throw Error("a thinker needs at least one worker, and leaves to judge: workers, batch: give 1 or more");
  if (evaluator.on_device()) throw Error("a long search of one position judges on the CPU: evaluator: give one of the CPU");
  return std::make_unique<TreeThinker>(settings, evaluator);
}

}  // namespace wari
