#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wari {

// Threads that work on numbered pieces of a batch while it is still being made. They are kept from batch to batch. Used by one thread, which works too when it
// has to wait.
class ChunkWorkers {
 public:
  // `work(worker, chunk)`: worker 0 is the calling thread, the others are `workers` - 1 threads.
  ChunkWorkers(int workers, std::function<void(int worker, int chunk)> work);
  ~ChunkWorkers();
  ChunkWorkers(const ChunkWorkers&) = delete;
  ChunkWorkers& operator=(const ChunkWorkers&) = delete;

  // The next chunk may be worked on: 0, 1, 2, ... since the last reset().
  void offer();
  // Returns when `chunk`, which was offered, is done. Rethrows what its work threw.
  void finish(int chunk);
  // A new batch. What was offered and not begun is dropped, and what is under way waited for.
  void reset();

 private:
  struct Chunk {
    bool done = false;
    std::exception_ptr error;
  };

  void serve(int worker);
  void do_next(std::unique_lock<std::mutex>& lock, int worker);

  std::function<void(int worker, int chunk)> work_;
  std::mutex mutex_;
  std::condition_variable offered_, done_;
  std::vector<Chunk> chunks_;  // offered since the last reset
  std::size_t begun_ = 0;      // of them
  int under_way_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wari
