#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace wari {

// choose(worker, game) for each of `games`, on up to `workers` threads: games go to whichever is free, so a choice must not depend on that. The first error is thrown on.
template <class Choose>
std::vector<int> choose_each(std::size_t games, std::size_t workers, const Choose& choose) {
  std::vector<int> actions(games, -1);
  std::atomic<std::size_t> next{0};
  const std::size_t count = std::min(workers, games);
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < games; i = next++) actions[i] = choose(worker, i);
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 1; worker < count; ++worker) threads.emplace_back(work, worker);
    if (count > 0) work(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return actions;
}

}  // namespace wari
