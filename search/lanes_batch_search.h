#pragma once

#include <exception>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/notation.h"
#include "search/batch_lanes.h"

namespace wari {

// None if it can be searched.
inline End end_of_root(const RootRequest& request) {
  const Status state = status(sowing_tables(), request.rules, request.since_capture.back());
  if (state.end != End::none) return state.end;
  return end_by_history(request.rules, request.since_capture.data(), static_cast<int>(request.since_capture.size()));
}

// The layouts of one worker; each keeps its memory.
template <class Executor>
struct BatchWorker {
  std::unique_ptr<Evaluator> evaluator;
  BatchLanes<Executor, NarrowNode6> narrow6;
  BatchLanes<Executor, NarrowNode12> narrow12;
  BatchLanes<Executor, WideNode6> wide6;
  BatchLanes<Executor, WideNode12> wide12;

  void run(const BatchSearchSettings& settings, std::span<const Rules> rules, int lanes, std::span<const IndexedRequest> requests, bool wide, bool twelve) {
    if (wide && twelve) return wide12.run(settings, rules, lanes, requests, *evaluator);
    if (wide) return wide6.run(settings, rules, lanes, requests, *evaluator);
    if (twelve) return narrow12.run(settings, rules, lanes, requests, *evaluator);
    narrow6.run(settings, rules, lanes, requests, *evaluator);
  }
};

// Batches of searches on an executor; a thread for each worker.
template <class Executor>
class LanesBatchSearch final : public BatchSearch {
 public:
  LanesBatchSearch(const BatchSearchSettings& settings, const Evaluator& evaluator) : settings_(settings), workers_(static_cast<std::size_t>(settings.workers)) {
    for (BatchWorker<Executor>& worker : workers_) worker.evaluator = evaluator.clone();
  }

  std::vector<RootResult> search(std::span<const RootRequest> requests) override {
    std::vector<RootResult> results(requests.size());
    std::vector<Rules> rules;
    std::vector<IndexedRequest> searched;
    bool wide = false, twelve = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const RootRequest& request = requests[i];
      check(request);
      const End end = end_of_root(request);
      if (end != End::none) {
        results[i] = result_of_finished(request.rules, request.since_capture.back(), end);
        continue;
      }
      searched.push_back({&request, &results[i], index_of(request.rules, rules)});
      wide |= request.simulations > kNarrowSimulations;
      twelve |= request.rules.action_count() > kPits;
    }
    run_workers(rules, searched, wide, twelve);
    return results;
  }

 private:
  static void check(const RootRequest& request) {
    if (request.since_capture.empty()) throw Error("a search without a position: give the positions since the last capture");
    if (request.simulations < 1) throw Error("a search of " + std::to_string(request.simulations) + " visits at " + position_text(request.since_capture.back()) + ": at least 1 is needed");
  }

  static std::uint8_t index_of(const Rules& wanted, std::vector<Rules>& rules) {
    std::size_t index = 0;
    while (index < rules.size() && !(rules[index] == wanted)) ++index;
    if (index == 256) throw Error("more than 256 rule sets in one batch of searches: search them in several");
    if (index == rules.size()) rules.push_back(wanted);
    return static_cast<std::uint8_t>(index);
  }

  // Requests go to workers in contiguous blocks, so that with a network a result does not depend on the threads' timing.
  void run_workers(std::span<const Rules> rules, std::span<const IndexedRequest> requests, bool wide, bool twelve) {
    const std::size_t count = workers_.size();
    const int lanes = (settings_.lanes + static_cast<int>(count) - 1) / static_cast<int>(count);
    std::vector<std::exception_ptr> errors(count);
    const auto work = [&](std::size_t w) {
      try {
        const std::size_t first = requests.size() * w / count, last = requests.size() * (w + 1) / count;
        workers_[w].run(settings_, rules, lanes, requests.subspan(first, last - first), wide, twelve);
      } catch (...) {
        errors[w] = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t w = 1; w < count && requests.size() >= 2; ++w) threads.emplace_back(work, w);
    if (requests.size() >= 2) {
      work(0);
    } else if (!requests.empty()) {
      workers_[0].run(settings_, rules, lanes, requests, wide, twelve);
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  BatchSearchSettings settings_;
  std::vector<BatchWorker<Executor>> workers_;
};

}  // namespace wari
