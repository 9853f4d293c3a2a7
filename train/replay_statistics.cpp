#include "train/replay_statistics.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/random.h"
#include "search/move_log.h"

namespace wari {
namespace {

struct PositionHash {
  std::size_t operator()(const Position& position) const { return static_cast<std::size_t>(mix64(position.mover + mix64(position.opponent))); }
};

}  // namespace

bool has_policy_target(const Sample& sample) {
  return std::any_of(std::begin(sample.policy), std::end(sample.policy), [](std::uint16_t share) { return share != 0; });
}

SampleStatistics sample_statistics(std::span<const Sample> samples) {
  SampleStatistics statistics;
  if (samples.empty()) return statistics;
  std::unordered_map<Position, int, PositionHash> seen;
  seen.reserve(samples.size());
  int most = 0;
  std::int64_t with_policy = 0;
  double error = 0;
  int searched = 0;
  for (const Sample& sample : samples) {
    most = std::max(most, ++seen[sample.position]);
    ++statistics.by_ply[std::min(sample.ply / 16, 15)];
    with_policy += has_policy_target(sample);
    if (sample.flags & kFlagForced) continue;
    ++searched;
    error += std::abs(sample.root_value / 32767.0 - (1.0 - sample.outcome));
  }
  const auto count = static_cast<double>(samples.size());
  statistics.positions = static_cast<std::int64_t>(samples.size());
  statistics.distinct_share = static_cast<double>(seen.size()) / count;
  statistics.most_common_share = most / count;
  statistics.policy_share = static_cast<double>(with_policy) / count;
  statistics.root_value_error = searched > 0 ? error / searched : 0;
  return statistics;
}

}  // namespace wari
