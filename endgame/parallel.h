#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace wari {

// Calls body(worker, begin, end) for consecutive chunks of 0..count, on up to `workers` threads. `body` must not throw.
template <class Body>
void in_chunks(int workers, std::size_t count, std::size_t chunk, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](int worker) {
    for (std::size_t begin = next.fetch_add(chunk); begin < count; begin = next.fetch_add(chunk)) body(worker, begin, std::min(begin + chunk, count));
  };
  std::vector<std::jthread> threads;
  const auto chunks = static_cast<int>(std::min<std::size_t>((count + chunk - 1) / chunk, static_cast<std::size_t>(workers)));
  for (int worker = 1; worker < chunks; ++worker) threads.emplace_back(work, worker);
  work(0);
}

}  // namespace wari
