#include "search/chunk_workers.h"

#include <utility>

namespace wari {

ChunkWorkers::ChunkWorkers(int workers, std::function<void(int worker, int chunk)> work) : work_(std::move(work)) {
  for (int worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

ChunkWorkers::~ChunkWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  offered_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ChunkWorkers::offer() {
  {
    const std::lock_guard lock(mutex_);
    chunks_.emplace_back();
  }
  offered_.notify_one();
}

void ChunkWorkers::finish(int chunk) {
  std::unique_lock lock(mutex_);
  const auto place = static_cast<std::size_t>(chunk);
  while (!chunks_[place].done) {
    if (begun_ < chunks_.size()) {
      do_next(lock, 0);
    } else {
      done_.wait(lock);
    }
  }
  if (chunks_[place].error) std::rethrow_exception(chunks_[place].error);
}

void ChunkWorkers::reset() {
  std::unique_lock lock(mutex_);
  begun_ = chunks_.size();
  done_.wait(lock, [&] { return under_way_ == 0; });
  chunks_.clear();
  begun_ = 0;
}

void ChunkWorkers::serve(int worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    offered_.wait(lock, [&] { return stop_ || begun_ < chunks_.size(); });
    if (stop_) return;
    do_next(lock, worker);
  }
}

void ChunkWorkers::do_next(std::unique_lock<std::mutex>& lock, int worker) {
  const std::size_t chunk = begun_++;
  ++under_way_;
  lock.unlock();
  std::exception_ptr error;
  try {
    work_(worker, static_cast<int>(chunk));
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  --under_way_;
  chunks_[chunk] = {true, error};
  done_.notify_all();
}

}  // namespace wari
