#include "train/stop_request.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace wari {
namespace {

// A handler can reach nothing but static storage; this is the one place of the project that has some.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);
struct sigaction previous_interrupt, previous_terminate;

void on_signal(int number) {
  if (received.exchange(number) != 0) ::_exit(128 + number);
  static constexpr char kMessage[] = "\nstopping at the next safe point; once more to stop at once\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
}

}  // namespace

StopRequest::StopRequest() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &previous_interrupt);
  ::sigaction(SIGTERM, &action, &previous_terminate);
}

StopRequest::~StopRequest() {
  ::sigaction(SIGINT, &previous_interrupt, nullptr);
  ::sigaction(SIGTERM, &previous_terminate, nullptr);
}

int StopRequest::signal() const { return received.load(); }

}  // namespace wari
