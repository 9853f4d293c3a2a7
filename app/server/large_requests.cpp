#include "app/server/large_requests.h"

#include <chrono>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "app/server/http.h"

namespace wari {

void LargeRequests::take(const std::function<bool()>& client_left) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  std::unique_lock lock(mutex_);
  if (running_ >= settings_.running && waiting_ >= settings_.waiting)
    throw HttpError(429, "too many long games wait: this server: ask again in a moment", {{"Retry-After", "1"}});
  ++waiting_;
  bool left = false;
  while (!left && running_ >= settings_.running) {
    freed_.wait_for(lock, kBetweenLooks);
    lock.unlock();  // what is asked may take its time
    left = client_left && client_left();
    lock.lock();
  }
  --waiting_;
  if (left) throw nobody_waits();
  ++running_;
}

void LargeRequests::give_back() {
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  freed_.notify_one();
}

void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace wari
