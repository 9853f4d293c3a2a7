#include "train/workers.h"

#include <csignal>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace wari {

struct Workers::State {
  std::mutex mutex;
  std::condition_variable begin, done;
  const std::function<void(int)>* task = nullptr;
  std::uint64_t round = 0;
  int running = 0;
  bool stop = false;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  void perform(int worker, const std::function<void(int)>& work) {
    try {
      work(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void loop(int worker) {
    std::uint64_t seen = 0;
    for (;;) {
      const std::function<void(int)>* work = nullptr;
      {
        std::unique_lock lock(mutex);
        begin.wait(lock, [&] { return stop || round != seen; });
        if (stop) return;
        seen = round;
        work = task;
      }
      perform(worker, *work);
      const std::lock_guard lock(mutex);
      if (--running == 0) done.notify_one();
    }
  }
};

Workers::Workers(int count) : state_(std::make_unique<State>()) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int worker = 1; worker < count; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->loop(worker); });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Workers::~Workers() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->begin.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int Workers::count() const { return static_cast<int>(state_->threads.size()) + 1; }

void Workers::run(const std::function<void(int)>& task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->task = &task;
    state_->running = count() - 1;
    ++state_->round;
  }
  state_->begin.notify_all();
  state_->perform(0, task);
  std::unique_lock lock(state_->mutex);
  state_->done.wait(lock, [&] { return state_->running == 0; });
  const std::exception_ptr failure = std::exchange(state_->failure, nullptr);
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wari
