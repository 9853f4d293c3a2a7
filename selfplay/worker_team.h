#pragma once

#include <functional>
#include <memory>

namespace wari {

// A fixed number of threads that do one task at a time together. The calling thread is worker 0, so a team of one makes no thread; the others live as long as
// the team and sleep between tasks. Signals are blocked in them: those go to the main thread.
class WorkerTeam {
 public:
  explicit WorkerTeam(int workers);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // Calls task(worker) for 0 .. workers - 1 at once and returns when all are done. The first exception (lowest worker) is thrown here.
  void run(const std::function<void(int)>& task);
  int workers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wari
