#include "search/thinker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"

namespace wari {
namespace {

using Clock = std::chrono::steady_clock;

// Searches again and again with twice the visits, each time from nothing.
class PlainThinker final : public Thinker {
 public:
  PlainThinker(const ThinkerSettings& settings, const Evaluator& evaluator) : nodes_max_(settings.nodes_max) {
    BatchSearchSettings batch;
    batch.search = settings.search;
    batch.lanes = 1;
    batch.tables = settings.tables;
    batch.table_search = settings.table_search;
    batch.nodes_max = settings.nodes_max;
    search_ = make_cpu_batch_search(batch, evaluator);
  }

  void set_game(const Game& game) override { game_ = game; }
  void forget() override {}

  Thought think(const ThinkLimits& limits, const std::function<bool(const Thought&)>& go_on) override {
    const Clock::time_point start = Clock::now();
    Thought thought;
    if (game_.is_over()) {
      thought.root = result_of_finished(game_.rules(), game_.position(), game_.end());
      return thought;
    }
    const std::int64_t most = std::clamp<std::int64_t>(limits.visits.value_or(nodes_max_), 1, nodes_max_);
    for (std::int64_t visits = std::min<std::int64_t>(most, 100);; visits = std::min(most, 2 * visits)) {
      const RootRequest request{game_.rules(), game_.since_capture(), static_cast<int>(visits), 0};
      thought.root = search_->search({&request, 1}).front();
      thought.simulations = thought.nodes = thought.root.simulations;
      thought.depth = static_cast<int>(thought.root.line.size());
      thought.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      thought.full = static_cast<double>(visits) / static_cast<double>(nodes_max_);
      const bool late = limits.deadline && Clock::now() >= *limits.deadline;
      const bool deep = limits.depth && thought.depth >= *limits.depth;
      if (visits == most || thought.root.proven || late || deep || (go_on && !go_on(thought))) return thought;
    }
  }

 private:
  std::int64_t nodes_max_;
  std::unique_ptr<BatchSearch> search_;
  Game game_{Rules{}};
};

}  // namespace

std::unique_ptr<Thinker> make_thinker(const ThinkerSettings& settings, const Evaluator& evaluator) {
  if (settings.search.algorithm != Algorithm::puct) throw Error("a long search of one position is by visit counts: algorithm: give puct");
  return std::make_unique<PlainThinker>(settings, evaluator);
}

}  // namespace wari
