#include "app/server/search_turns.h"

#include <algorithm>
#include <chrono>

namespace wari {

bool SearchTurns::is_next(std::uint64_t ticket, bool background) const {
  if (taken_) return false;
  if (!background) return waiting_.front() == ticket;
  return waiting_.empty() && waiting_behind_.front() == ticket;
}

bool SearchTurns::take(const std::function<bool()>& give_up, bool background) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  std::unique_lock lock(mutex_);
  std::deque<std::uint64_t>& line = background ? waiting_behind_ : waiting_;
  const std::uint64_t ticket = next_ticket_++;
  line.push_back(ticket);
  bool mine = true;
  while (!is_next(ticket, background)) {
    lock.unlock();  // what is asked may take its time
    const bool gives_up = give_up && give_up();
    lock.lock();
    if (gives_up && !is_next(ticket, background)) {
      mine = false;
      break;
    }
    if (!is_next(ticket, background)) changed_.wait_for(lock, kBetweenLooks);
  }
  std::erase(line, ticket);
  taken_ |= mine;
  lock.unlock();
  changed_.notify_all();  // whoever stood behind
  return mine;
}

void SearchTurns::release() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  changed_.notify_all();
}

bool SearchTurns::others_wait() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

}  // namespace wari
