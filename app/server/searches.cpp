#include "app/server/searches.h"

#include <algorithm>

#include "app/server/http.h"

namespace wari {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

// One of the places for requests that think.
class Searches::Admission {
 public:
  explicit Admission(Searches& searches) : count_(searches.under_way_) {
    if (++count_ <= searches.settings_.waiting) return;
    --count_;
    throw HttpError(429, "too many searches wait: this server: ask again in a moment", {{"Retry-After", "1"}});
  }
  ~Admission() { --count_; }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

 private:
  std::atomic<int>& count_;
};

ThoughtOf Searches::think(const ThinkRequest& request, const Game& game, const std::function<bool()>& client_left) {
  const Admission admission(*this);
  const std::optional<EnginePool::Use> use = pool_.take(request.engine, game, client_left);
  if (!use) throw nobody_waits();
  ThoughtOf result;
  ThinkLimits limits;
  limits.visits = request.visits;
  bool left = false, goes_on = true;
  std::int64_t simulations = 0;
  double seconds = 0;
  for (bool first = true; goes_on; first = false) {
    if (!turns_.take(client_left)) throw nobody_waits();
    const SearchTurn turn(turns_);
    const Clock::time_point begin = Clock::now();
    if (first) limits.deadline = begin + std::min(request.time.value_or(settings_.longest), settings_.longest);
    goes_on = false;
    result.thought = use->thinker().think(limits, [&](const Thought&) {
      left = client_left && client_left();
      goes_on = !left && Clock::now() - begin >= settings_.slice && turns_.others_wait();
      return !left && !goes_on;
    });
    simulations += result.thought.simulations;
    seconds += result.thought.seconds;
    if (left) throw nobody_waits();
  }
  result.thought.simulations = simulations;
  result.thought.seconds = seconds;
  result.engine = use->engine();
  return result;
}

std::shared_ptr<const Engine> Searches::engine(const std::optional<NamedCheckpoint>& checkpoint, const Rules& rules) {
  const Admission admission(*this);
  return pool_.engine(checkpoint, true, rules);
}

}  // namespace wari
