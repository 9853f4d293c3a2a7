#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

// Who may use the processor: one search at a time gets all of it for a moment, then the next of those that wait. So a long analysis delays a move by a moment, not by
// its own length, however many ask.
namespace wari {

class SearchTurns {
 public:
  // Waits in line, behind whoever asked before; false where `give_up` says so first (asked about every 50 ms). A turn in the background goes to whoever waits for one
  // only while nobody else waits.
  bool take(const std::function<bool()>& give_up, bool background = false);
  void release();
  // Does somebody wait whom the holder of the turn should let in?
  bool others_wait() const;

 private:
  bool is_next(std::uint64_t ticket, bool background) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_, waiting_behind_;  // tickets, in order
  std::uint64_t next_ticket_ = 0;
  bool taken_ = false;
};

// Releases what take() gave.
class SearchTurn {
 public:
  explicit SearchTurn(SearchTurns& turns) : turns_(&turns) {}
  ~SearchTurn() { turns_->release(); }
  SearchTurn(const SearchTurn&) = delete;
  SearchTurn& operator=(const SearchTurn&) = delete;

 private:
  SearchTurns* turns_;
};

}  // namespace wari
