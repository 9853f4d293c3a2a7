#pragma once

#include <algorithm>

#include "core/sowing.h"
#include "search/lane_array.h"
#include "train/batch_rows.h"
#include "train/sample_window.h"

namespace wari {

// The window as a ring: sample n lies at n modulo the places, so every sample is copied once, over one that has left. A template on the device, which gives Array<T>,
// copy(stream, to, values), which waits, and launch(stream, rows, step), which does not.
template <class Device>
class SampleRing final : public SampleWindow {
 public:
  explicit SampleRing(float root_value_share) : root_value_share_(root_value_share) {}

  std::int64_t end() const override { return end_; }

  void follow(const WindowView& view, void* stream) override {
    const std::int64_t wanted = view.end() - view.begin();
    if (wanted > places_) make(std::max(wanted + wanted / 4, view.places), view, stream);
    for (const WindowView::Run& run : view.runs) {
      const std::int64_t known = std::clamp<std::int64_t>(end_ - run.first, 0, static_cast<std::int64_t>(run.samples.size()));
      copy(run.first + known, run.samples.subspan(static_cast<std::size_t>(known)), stream);
    }
    end_ = view.end();
  }

  std::uint32_t place_of(std::int64_t number) const override { return static_cast<std::uint32_t>(number % places_); }

  void gather(const std::uint32_t* places, int rows, Token* integers, float* numbers, void* stream) override {
    Device::launch(stream, rows, GatherStep{sowing_.data(), rules_.data(), samples_.data(), places, root_value_share_, integers, numbers});
  }

 private:
  template <class T>
  using Array = typename Device::template Array<T>;

  // An empty ring. The old one is freed first: two of them need not fit.
  void make(std::int64_t places, const WindowView& view, void* stream) {
    end_ = places_ = 0;
    samples_ = {};
    samples_ = Array<Sample>(static_cast<std::size_t>(places), "replay window", Contents::unset);
    sowing_ = Array<SowingTables>(1, "sowing tables", Contents::unset);
    rules_ = Array<Rules>(view.rules.size(), "rule sets", Contents::unset);
    Device::copy(stream, sowing_.data(), std::span(&sowing_tables(), 1));
    Device::copy(stream, rules_.data(), view.rules);
    places_ = places;
  }

  void copy(std::int64_t number, std::span<const Sample> samples, void* stream) {
    while (!samples.empty()) {
      const std::int64_t place = number % places_;
      const auto part = samples.first(std::min(samples.size(), static_cast<std::size_t>(places_ - place)));
      Device::copy(stream, samples_.data() + place, part);
      samples = samples.subspan(part.size());
      number += static_cast<std::int64_t>(part.size());
    }
  }

  float root_value_share_;
  std::int64_t places_ = 0, end_ = 0;
  Array<Sample> samples_;       // [places_]
  Array<SowingTables> sowing_;  // [1]
  Array<Rules> rules_;          // [rule sets]
};

}  // namespace wari
