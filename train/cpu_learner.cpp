#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "selfplay/worker_team.h"
#include "train/adamw.h"
#include "train/cpu_gradient.h"
#include "train/learner.h"

namespace wari {

namespace {

constexpr std::int64_t kBlock = 4096;  // floats that are reduced and updated at a time: sums do not depend on how blocks are shared out
constexpr int kLanes = 16;             // partial sums, so that the loop is vector code

double square_sum(const float* values, std::int64_t count) {
  float partial[kLanes] = {};
  for (std::int64_t i = 0; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) partial[lane] += values[i + lane] * values[i + lane];
  }
  double sum = 0;
  for (const float part : partial) sum += static_cast<double>(part);
  return sum;
}

class CpuLearner final : public Learner {
 public:
  CpuLearner(const NetworkLayout& layout, const TrainerSettings& settings, int workers)
      : layout_(layout), settings_(settings), workers_(workers), state_(layout.size()), total_(static_cast<std::size_t>(layout.size())) {
    blocks_ = (layout_.size() + kBlock - 1) / kBlock;
    block_squares_.assign(static_cast<std::size_t>(blocks_), 0.0);
    for (int worker = 0; worker < workers; ++worker) gradients_.emplace_back(layout_, settings_);
    reports_.resize(static_cast<std::size_t>(workers));
  }

  TrainReport step(std::span<const Sample> batch, std::span<const Rules> rules, const StepRates& rates) override {
    const float scale = 1.0f / static_cast<float>(batch.size());
    workers_.run([&](int worker) {
      // Our own workers share the batch out: LibTorch's products stay on the thread that asks. The setting belongs to a thread, not only to the process.
      at::set_num_threads(1);
      const auto [first, last] = share(worker, static_cast<std::int64_t>(batch.size()));
      const auto index = static_cast<std::size_t>(worker);
      reports_[index] = {};
      gradients_[index].run(state_.weights.data(), batch.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), rules, scale, reports_[index]);
    });
    TrainReport report;
    for (const TrainReport& part : reports_) report.add(part);
    const double squares = reduce_gradients();
    if (!std::isfinite(squares)) {  // its losses would spoil the means of all others
      TrainReport skipped;
      skipped.skipped_steps = 1;
      return skipped;
    }
    report.steps = 1;
    report.gradient_norm_sum = std::sqrt(squares);
    update(rates, report.gradient_norm_sum);
    return report;
  }

  TrainReport finish() override { return {}; }
  const LearnerState& state() override { return state_; }
  void set_state(const LearnerState& state, std::int64_t /* updates: come with each step */) override { state_ = state; }

 private:
  // [begin, end) of a worker's share of `count`.
  std::pair<std::int64_t, std::int64_t> share(int worker, std::int64_t count) const {
    return {count * worker / workers_.workers(), count * (worker + 1) / workers_.workers()};
  }

  // Sums the workers' gradients into `total_`; returns the squared length.
  double reduce_gradients() {
    workers_.run([&](int worker) {
      const auto [first, last] = share(worker, blocks_);
      for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t begin = block * kBlock, end = std::min(begin + kBlock, layout_.size());
        float* sum = total_.data() + begin;
        std::copy_n(gradients_.front().gradient().data() + begin, end - begin, sum);
        for (std::size_t other = 1; other < gradients_.size(); ++other) {
          const float* part = gradients_[other].gradient().data() + begin;
          for (std::int64_t i = 0; i < end - begin; ++i) sum[i] += part[i];
        }
        block_squares_[static_cast<std::size_t>(block)] = square_sum(sum, end - begin);
      }
    });
    double squares = 0;
    for (const double block : block_squares_) squares += block;
    return squares;
  }

  void update(const StepRates& rates, double norm) {
    AdamwStep step{};
    step.learning_rate = static_cast<float>(rates.learning_rate);
    const auto count = static_cast<double>(rates.update);
    step.beta1 = static_cast<float>(settings_.beta1);
    step.beta2 = static_cast<float>(settings_.beta2);
    step.correction1 = static_cast<float>(1 - std::pow(settings_.beta1, count));
    step.correction2 = static_cast<float>(1 - std::pow(settings_.beta2, count));
    step.epsilon = kAdamEpsilon;
    step.average_decay = static_cast<float>(rates.average_decay);
    step.gradient_scale = settings_.clip_norm > 0 && norm > settings_.clip_norm ? static_cast<float>(settings_.clip_norm / norm) : 1.0f;
    workers_.run([&](int worker) {
      const auto [first, last] = share(worker, blocks_);
      const std::int64_t begin = first * kBlock, end = std::min(last * kBlock, layout_.size());
      for (const TensorPlace& place : layout_.tensors()) {
        const std::int64_t from = std::max(begin, place.offset), to = std::min(end, place.offset + place.size);
        if (from >= to) continue;
        AdamwStep own = step;
        own.decay = place.decays ? static_cast<float>(settings_.weight_decay) : 0.0f;
        adamw(own, total_.data() + from, state_.weights.data() + from, state_.mean.data() + from, state_.square.data() + from, state_.averaged.data() + from, to - from);
      }
    });
  }

  NetworkLayout layout_;
  TrainerSettings settings_;
  WorkerTeam workers_;
  std::vector<CpuGradient> gradients_;  // one a worker
  std::vector<TrainReport> reports_;    // likewise
  LearnerState state_;
  AlignedVector<float> total_;          // the gradient
  std::int64_t blocks_ = 0;
  std::vector<double> block_squares_;   // [blocks]
};

}  // namespace

std::unique_ptr<Learner> make_cpu_learner(const NetworkLayout& layout, const TrainerSettings& settings, int workers) {
  return std::make_unique<CpuLearner>(layout, settings, workers);
}

}  // namespace wari
