#include "app/uci/time_control.h"

#include <algorithm>
#include <functional>

namespace wari {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOneBatch{1};   // a search that begins before its deadline judges one batch at least
constexpr int kMovesAhead = 30;        // a game takes about 50 moves of a player
constexpr int kBatchesLeft = 4;        // a batch that costs more than a move's share is begun only while there is time for so many

milliseconds fixed_time(milliseconds movetime, const UciDelays& delays) { return std::max(kOneBatch, movetime - delays.overhead - delays.lateness); }

// An even share of the clock and most of the increment. What happened once may happen again, twice over: so much stays on the clock, and is saved up from increments.
milliseconds share_of(const UciClock& clock, int moves_to_go, const UciDelays& delays) {
  const milliseconds left = std::max(milliseconds(0), *clock.left - delays.overhead);
  const int moves = moves_to_go > 0 ? std::min(moves_to_go, kMovesAhead) : kMovesAhead;
  const milliseconds most = moves == 1 ? left : left / 2;
  const milliseconds reserve = 2 * delays.worst;
  const milliseconds increment = clock.increment * 4 / 5;
  const milliseconds share = std::min(most, left < reserve ? increment * left.count() / reserve.count() : (left - reserve) / moves + increment);
  if (share > delays.lateness) return share - delays.lateness;
  return left > kBatchesLeft * delays.lateness ? std::min(kOneBatch, left) : milliseconds(0);
}

}  // namespace

void UciLateness::add(milliseconds late) {
  last_[next_] = std::max(late, milliseconds(0));
  next_ = (next_ + 1) % last_.size();
}

milliseconds UciLateness::estimate() const {
  std::array<milliseconds, kFew> few;
  for (std::size_t i = 0; i < kFew; ++i) few[i] = last_[(next_ + kMany - 1 - i) % kMany];
  std::nth_element(few.begin(), few.begin() + 1, few.end(), std::greater<>());
  return few[1];
}

milliseconds UciLateness::worst() const { return *std::max_element(last_.begin(), last_.end()); }

UciTime think_time(const UciGo& go, bool north_moves, const UciDelays& delays) {
  UciTime time;
  if (go.movetime) time.think = fixed_time(*go.movetime, delays);
  const UciClock& clock = go.clock(north_moves);
  if (!clock.left) return time;
  const milliseconds share = share_of(clock, go.moves_to_go, delays);
  time.is_budget = !time.think || share < *time.think;
  time.think = std::min(share, time.think.value_or(share));
  return time;
}

}  // namespace wari
