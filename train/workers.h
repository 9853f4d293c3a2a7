#pragma once

#include <functional>
#include <memory>

namespace wari {

// A fixed team of threads that does one task together and waits for each other: `task(worker)` for workers 0..count-1, worker 0 on the calling thread.
// Signals are blocked in the threads, so that they reach the main one. The first exception of a worker is thrown from run().
class Workers {
 public:
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const;
  void run(const std::function<void(int)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wari
