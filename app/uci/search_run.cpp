#include "app/uci/search_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/uci/info.h"

namespace wari {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kThinkByDefault{2000};  // where `go` names no limit: what the Oware programs do
constexpr milliseconds kAtMostEvery{100}, kAtLeastEvery{1000};  // info lines: where something is new, and where nothing is
constexpr milliseconds kLooked{25};  // how often a search asks whether to go on; what is above that is the time of a batch

// The info lines of a search: often enough to follow it, not so often that the other program drowns.
class InfoLines {
 public:
  InfoLines(const UciSearch& search, const UciSay& say) : search_(search), say_(say) {}

  void maybe(const Thought& thought) {
    const auto waited = Clock::now() - last_;
    const bool is_new = thought.root.best != best_ || thought.depth > depth_;
    if (any_ && waited < (is_new ? kAtMostEvery : kAtLeastEvery)) return;
    always(thought);
  }

  void always(const Thought& thought) {
    say_(info_line(search_.game, thought, search_.show_wdl));
    any_ = true;
    best_ = thought.root.best;
    depth_ = thought.depth;
    last_ = Clock::now();
  }

 private:
  const UciSearch& search_;
  const UciSay& say_;
  bool any_ = false;
  int best_ = -1, depth_ = 0;
  Clock::time_point last_;
};

// No other move can get the most visits before the deadline.
bool is_settled(const Thought& thought, Clock::time_point deadline) {
  constexpr int kEnough = 100;  // simulations that tell how fast it goes
  if (thought.simulations < kEnough || thought.seconds <= 0) return false;
  int best = 0, second = 0;
  for (const RootAction& action : thought.root.actions) {
    if (action.action == thought.root.best) best = action.visits;
    else second = std::max(second, action.visits);
  }
  const double seconds_left = std::chrono::duration<double>(deadline - Clock::now()).count();
  return best - second > seconds_left * static_cast<double>(thought.simulations) / thought.seconds;
}

// Where there is no time even for one batch: the move that is known from earlier searches, else the one that captures most, the first of equals.
Thought without_search(const Game& game, const KnownMove& known) {
  Thought thought;
  RootResult& root = thought.root;
  root.best = known.best;
  root.margin = known.margin;
  root.simulations = static_cast<int>(known.visits);
  if (known.best < 0) {
    int most = -1;
    for (int action = 0; action < kActions; ++action) {
      if (((game.legal() >> action) & 1) == 0) continue;
      const Move move = play(sowing_tables(), game.rules(), game.position(), action);
      if (move.captured > most) root.best = action;
      most = std::max<int>(most, move.captured);
    }
    root.margin = static_cast<float>(store_seeds(game.position().mover) - store_seeds(game.position().opponent));
  }
  root.line = {root.best};
  return thought;
}

class SearchRun {
 public:
  SearchRun(const UciSearch& search, Thinker& thinker, UciControl& control, UciLateness& lateness, const UciSay& say)
      : search_(search), thinker_(thinker), control_(control), lateness_(lateness), say_(say), info_(search, say) {}

  std::string run() {
    if (search_.game.is_over()) return nothing_to_play();
    if (search_.forget) thinker_.forget();
    thinker_.set_game(search_.game);
    if (search_.strength.visits > 0 && thinker_.known().visits > search_.strength.visits) {  // of a search that was stronger
      thinker_.forget();
      thinker_.set_game(search_.game);
    }
    Thought thought = search_.go.ponder ? ponder() : think_on(search_.received);
    if (search_.go.infinite) control_.wait_for_stop();
    const int best = choose_move(thought.root, search_.strength, search_.key);
    if (search_.debug) {
      for (const std::string& line : move_lines(search_.game, thought.root)) say_(line);
    }
    info_.always(thought);
    return bestmove_line(search_.game, best, thought.root);
  }

 private:
  std::string nothing_to_play() {
    Thought thought;
    thought.root = result_of_finished(search_.game.rules(), search_.game.position(), search_.game.end());
    say_(finished_info_line(thought));
    if (search_.go.ponder) control_.wait_for_stop_or_hit();
    if (search_.go.infinite) control_.wait_for_stop();
    return bestmove_line(search_.game, -1, thought.root);
  }

  // The other player is to move in the game itself: our clock stands still until the move that was guessed is played.
  Thought ponder() {
    ThinkLimits limits;
    if (search_.strength.visits > 0) limits.visits = search_.strength.visits;
    if (control_.stopped()) limits.visits = 1;
    Thought thought = think(limits, [this](const Thought&) { return !control_.stopped() && !control_.hit(); });
    info_.always(thought);
    control_.wait_for_stop_or_hit();
    if (control_.stopped()) return thought;
    const Thought after = think_on(*control_.hit());
    return after.simulations == 0 && after.root.simulations <= thought.root.simulations ? thought : after;  // there was no time for more than is known
  }

  Thought think_on(Clock::time_point clock_began) {
    const UciTime time = think_time(search_.go, north_moves(search_.game.position()), {search_.overhead, lateness_.estimate(), lateness_.worst()});
    if (time.think == milliseconds(0) && !search_.go.infinite) return without_search(search_.game, thinker_.known());
    const ThinkLimits limits = limits_of(time, clock_began);
    if (search_.debug && limits.deadline) {
      say_(info_string(fmt::format("thinking for {} ms, batches end {} ms late", std::chrono::duration_cast<milliseconds>(*limits.deadline - clock_began).count(), lateness_.estimate().count())));
    }
    double full = 0;
    const Thought thought = think(limits, [&](const Thought& now) {
      if (control_.stopped() || (time.is_budget && limits.deadline && is_settled(now, *limits.deadline))) return false;
      const bool was_full = now.full < full;  // and has dropped what was visited least
      full = now.full;
      return limits.deadline || limits.visits || search_.go.infinite || !was_full;  // a depth that is never reached ends with the tree
    });
    if (limits.deadline) lateness_.add(std::max(longest_pause_, std::chrono::duration_cast<milliseconds>(Clock::now() - *limits.deadline)));
    return thought;
  }

  ThinkLimits limits_of(const UciTime& time, Clock::time_point clock_began) const {
    ThinkLimits limits;
    const UciGo& go = search_.go;
    if (search_.strength.visits > 0) limits.visits = search_.strength.visits;
    if (control_.stopped()) limits.visits = 1;
    if (go.infinite || control_.stopped()) return limits;
    limits.depth = go.depth;
    if (go.nodes) limits.visits = std::min(*go.nodes, limits.visits.value_or(*go.nodes));
    if (time.think) limits.deadline = clock_began + *time.think;
    if (!limits.depth && !limits.visits && !limits.deadline) limits.deadline = clock_began + kThinkByDefault;
    const bool is_forced = search_.game.legal() != 0 && (search_.game.legal() & (search_.game.legal() - 1)) == 0;
    if (is_forced && limits.deadline) limits.visits = 1;  // there is nothing to find out
    return limits;
  }

  template <class GoOn>
  Thought think(const ThinkLimits& limits, const GoOn& go_on) {
    auto last = Clock::now();
    longest_pause_ = milliseconds(0);
    return thinker_.think(limits, [&](const Thought& thought) {
      const auto now = Clock::now();
      longest_pause_ = std::max(longest_pause_, std::chrono::duration_cast<milliseconds>(now - last) - kLooked);
      last = now;
      info_.maybe(thought);
      return go_on(thought);
    });
  }

  const UciSearch& search_;
  Thinker& thinker_;
  UciControl& control_;
  UciLateness& lateness_;
  const UciSay& say_;
  InfoLines info_;
  milliseconds longest_pause_{0};  // between two looks of the last think()
};

}  // namespace

void UciControl::reset(bool stopped) {
  const std::lock_guard lock(mutex_);
  stopped_ = stopped;
  hit_.reset();
}

void UciControl::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void UciControl::ponder_hit() {
  const std::lock_guard lock(mutex_);
  if (!hit_) hit_ = Clock::now();
  changed_.notify_all();
}

bool UciControl::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::optional<UciControl::Clock::time_point> UciControl::hit() const {
  const std::lock_guard lock(mutex_);
  return hit_;
}

void UciControl::wait_for_stop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_; });
}

void UciControl::wait_for_stop_or_hit() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || hit_; });
}

std::string run_search(const UciSearch& search, Thinker& thinker, UciControl& control, UciLateness& lateness, const UciSay& say) {
  return SearchRun(search, thinker, control, lateness, say).run();
}

}  // namespace wari
