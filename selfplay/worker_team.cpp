#include "selfplay/worker_team.h"

#include <csignal>

#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace wari {

struct WorkerTeam::State {
  std::mutex mutex;
  std::condition_variable start, done;
  const std::function<void(int)>* task = nullptr;
  long round = 0;       // grows by one with each task
  int running = 0;      // threads still at it
  bool stop = false;
  std::vector<std::exception_ptr> failures;
  std::vector<std::thread> threads;
};

namespace {

void attempt(const std::function<void(int)>& task, int worker, std::exception_ptr& failure) {
  try {
    task(worker);
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace

WorkerTeam::WorkerTeam(int workers) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.failures.resize(static_cast<std::size_t>(workers));
  // Threads inherit the mask of the one that makes them.
  sigset_t stops, before;
  sigemptyset(&stops);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&stops, signal);
  pthread_sigmask(SIG_BLOCK, &stops, &before);
  for (int worker = 1; worker < workers; ++worker) {
    s.threads.emplace_back([&s, worker] {
      long seen = 0;
      std::unique_lock lock(s.mutex);
      for (;;) {
        s.start.wait(lock, [&] { return s.stop || s.round != seen; });
        if (s.stop) return;
        seen = s.round;
        const auto* task = s.task;
        lock.unlock();
        attempt(*task, worker, s.failures[static_cast<std::size_t>(worker)]);
        lock.lock();
        if (--s.running == 0) s.done.notify_one();
      }
    });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkerTeam::~WorkerTeam() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->start.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void WorkerTeam::run(const std::function<void(int)>& task) {
  State& s = *state_;
  for (auto& failure : s.failures) failure = nullptr;
  {
    std::lock_guard lock(s.mutex);
    s.task = &task;
    s.running = static_cast<int>(s.threads.size());
    ++s.round;
  }
  s.start.notify_all();
  attempt(task, 0, s.failures[0]);
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&s] { return s.running == 0; });
  for (const auto& failure : s.failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

int WorkerTeam::workers() const { return static_cast<int>(state_->failures.size()); }

}  // namespace wari
