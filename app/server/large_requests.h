#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

// Requests that bring long games or many: each takes much memory for a moment, so few of them run at once and the others wait.
namespace wari {

inline constexpr std::size_t kLargeBytes = 1000;  // of a body: a game of some hundred plies

struct LargeRequestsSettings {
  int running = 4;   // at once
  int waiting = 64;  // more are refused
};

class LargeRequests {
 public:
  explicit LargeRequests(const LargeRequestsSettings& settings) : settings_(settings) {}

  // A place among those that run, given back at its end.
  class Place {
   public:
    // Waits for one. Throws HttpError: 429, too many wait; kClientLeft, `client_left` says so.
    Place(LargeRequests& requests, const std::function<bool()>& client_left) : requests_(requests) { requests.take(client_left); }
    ~Place() { requests_.give_back(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    LargeRequests& requests_;
  };

 private:
  void take(const std::function<bool()>& client_left);
  void give_back();

  LargeRequestsSettings settings_;
  std::mutex mutex_;  // of all below
  std::condition_variable freed_;
  int running_ = 0;
  int waiting_ = 0;
};

// Gives memory that is free back to the system, where the C library can: its many arenas keep it otherwise.
void give_memory_back();

}  // namespace wari
