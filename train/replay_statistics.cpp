#include "train/replay_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "search/move_log.h"

namespace wari {
namespace {

// How often each position occurs: an open table of twice the size at least, for a map's nodes would cost more than making the samples.
class PositionCounts {
 public:
  explicit PositionCounts(std::span<const Sample> samples) : samples_(samples), slots_(std::bit_ceil(2 * samples.size())) {}

  // Counts the position of sample `index`; returns its count so far.
  int add(std::uint32_t index) {
    const Position& position = samples_[index].position;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix64(position.mover + 3 * mix64(position.opponent)) & mask;
    while (slots_[at].count > 0 && !(samples_[slots_[at].index].position == position)) at = (at + 1) & mask;
    if (slots_[at].count == 0) {
      slots_[at].index = index;
      ++distinct_;
    }
    return ++slots_[at].count;
  }
  std::int64_t distinct() const { return distinct_; }

 private:
  struct Slot {
    std::uint32_t index = 0;   // of a sample with this position
    int count = 0;
  };
  std::span<const Sample> samples_;
  std::vector<Slot> slots_;
  std::int64_t distinct_ = 0;
};

}  // namespace

SampleStatistics sample_statistics(std::span<const Sample> samples) {
  SampleStatistics statistics;
  if (samples.empty()) return statistics;
  PositionCounts seen(samples);
  int most = 0;
  std::int64_t with_policy = 0;
  double error = 0;
  int searched = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    most = std::max(most, seen.add(static_cast<std::uint32_t>(i)));
    ++statistics.by_ply[std::min(sample.ply / 16, 15)];
    with_policy += has_policy_target(sample);
    if (sample.flags & kFlagForced) continue;
    ++searched;
    error += std::abs(sample.root_value / 32767.0 - (1.0 - sample.outcome));
  }
  const auto count = static_cast<double>(samples.size());
  statistics.positions = static_cast<std::int64_t>(samples.size());
  statistics.distinct_share = static_cast<double>(seen.distinct()) / count;
  statistics.most_common_share = most / count;
  statistics.policy_share = static_cast<double>(with_policy) / count;
  statistics.root_value_error = searched > 0 ? error / searched : 0;
  return statistics;
}

}  // namespace wari
