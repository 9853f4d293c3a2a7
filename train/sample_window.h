#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rules.h"
#include "core/tokens.h"
#include "selfplay/sample.h"

namespace wari {

// What the replay window holds, for a copy of it elsewhere. Every sample ever taken in has a number, counted from 0 in order; those of the window follow one another.
struct WindowView {
  struct Run {
    std::int64_t first = 0;  // number of the first
    std::span<const Sample> samples;
  };
  std::vector<Run> runs;     // oldest first
  std::int64_t places = 0;   // samples that a copy should have room for
  std::span<const Rules> rules;

  std::int64_t begin() const { return runs.empty() ? 0 : runs.front().first; }
  std::int64_t end() const { return runs.empty() ? 0 : runs.back().first + static_cast<std::int64_t>(runs.back().samples.size()); }
};

// A copy of the replay window where batches are computed. Work goes to `stream`, in order with what was put there before.
class SampleWindow {
 public:
  virtual ~SampleWindow() = default;
  // The number behind the newest sample copied.
  virtual std::int64_t end() const = 0;
  // Copies what is new in the window, always one of the same Replay, and waits for it. Throws Error where there is no room; nothing is held then.
  virtual void follow(const WindowView& view, void* stream) = 0;
  // Where a sample of the window lies, until the next follow().
  virtual std::uint32_t place_of(std::int64_t number) const = 0;
  // Fills a batch (train/batch_rows.h) from the samples at `places` [rows]; all pointers are of the memory where the window lies. Not waited for.
  virtual void gather(const std::uint32_t* places, int rows, Token* integers, float* numbers, void* stream) = 0;
};

}  // namespace wari
