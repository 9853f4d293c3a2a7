#include "train/trainer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "selfplay/worker_team.h"
#include "train/adamw.h"
#include "train/cpu_gradient.h"
#include "train/inference/aligned_vector.h"
#include "train/state_tensors.h"

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

}  // namespace

struct Trainer::Parts {
  Parts(const NetworkSettings& network, const TrainerSettings& trainer_settings, int worker_count, std::uint64_t seed)
      : layout(network), settings(trainer_settings), workers(worker_count) {
    const std::vector<float> initial = initial_weights(layout, seed);
    weights.assign(initial.begin(), initial.end());
    averaged = weights;
    mean.assign(weights.size(), 0.0f);
    square.assign(weights.size(), 0.0f);
    total.assign(weights.size(), 0.0f);
    blocks = (layout.size() + kBlock - 1) / kBlock;
    block_squares.assign(static_cast<std::size_t>(blocks), 0.0);
    for (int worker = 0; worker < worker_count; ++worker) gradients.emplace_back(layout, settings);
    reports.resize(static_cast<std::size_t>(worker_count));
  }

  // [begin, end) of a worker's share of `count`.
  std::pair<std::int64_t, std::int64_t> share(int worker, std::int64_t count) const {
    return {count * worker / workers.workers(), count * (worker + 1) / workers.workers()};
  }

  double learning_rate() const;
  double reduce_gradients();
  void update(double norm);

  NetworkLayout layout;
  TrainerSettings settings;
  WorkerTeam workers;
  std::vector<CpuGradient> gradients;   // one a worker
  std::vector<TrainReport> reports;     // likewise
  // Flat buffers [layout.size()]; padding stays 0.
  AlignedVector<float> weights, averaged, mean, square, total;
  std::int64_t blocks = 0;
  std::vector<double> block_squares;    // [blocks]
  std::int64_t steps = 0;               // batches seen
  std::int64_t updates = 0;             // those that changed the weights
  double progress = 0;
};

double Trainer::Parts::learning_rate() const {
  const double warm = settings.warmup_steps > 0 ? std::min(1.0, static_cast<double>(updates + 1) / settings.warmup_steps) : 1.0;
  double factor = 1;
  if (settings.schedule == Schedule::cosine) {
    const double share = settings.schedule_steps > 0 ? std::min(1.0, static_cast<double>(steps) / static_cast<double>(settings.schedule_steps)) : progress;
    factor = settings.final_share + (1 - settings.final_share) * 0.5 * (1 + std::cos(std::numbers::pi * share));
  }
  return settings.learning_rate * warm * factor;
}

// Sums the workers' gradients into `total`; returns the squared length.
double Trainer::Parts::reduce_gradients() {
  workers.run([&](int worker) {
    const auto [first, last] = share(worker, blocks);
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = block * kBlock, end = std::min(begin + kBlock, layout.size());
      float* sum = total.data() + begin;
      std::copy_n(gradients.front().gradient().data() + begin, end - begin, sum);
      for (std::size_t other = 1; other < gradients.size(); ++other) {
        const float* part = gradients[other].gradient().data() + begin;
        for (std::int64_t i = 0; i < end - begin; ++i) sum[i] += part[i];
      }
      block_squares[static_cast<std::size_t>(block)] = square_sum(sum, end - begin);
    }
  });
  double squares = 0;
  for (const double block : block_squares) squares += block;
  return squares;
}

void Trainer::Parts::update(double norm) {
  AdamwStep step{};
  step.learning_rate = static_cast<float>(learning_rate());
  ++updates;
  const auto count = static_cast<double>(updates);
  step.beta1 = static_cast<float>(settings.beta1);
  step.beta2 = static_cast<float>(settings.beta2);
  step.correction1 = static_cast<float>(1 - std::pow(settings.beta1, count));
  step.correction2 = static_cast<float>(1 - std::pow(settings.beta2, count));
  step.epsilon = 1e-8f;
  // Young weights change fast: their average forgets its beginnings sooner.
  step.average_decay = static_cast<float>(std::min(settings.average_decay, count / (count + 10)));
  step.gradient_scale = settings.clip_norm > 0 && norm > settings.clip_norm ? static_cast<float>(settings.clip_norm / norm) : 1.0f;
  workers.run([&](int worker) {
    const auto [first, last] = share(worker, blocks);
    const std::int64_t begin = first * kBlock, end = std::min(last * kBlock, layout.size());
    for (const TensorPlace& place : layout.tensors()) {
      const std::int64_t from = std::max(begin, place.offset), to = std::min(end, place.offset + place.size);
      if (from >= to) continue;
      AdamwStep own = step;
      own.decay = place.decays ? static_cast<float>(settings.weight_decay) : 0.0f;
      adamw(own, total.data() + from, weights.data() + from, mean.data() + from, square.data() + from, averaged.data() + from, to - from);
    }
  });
}

Trainer::Trainer(const NetworkSettings& network, const TrainerSettings& settings, int workers, std::uint64_t seed)
    : parts_(std::make_unique<Parts>(network, settings, std::max(1, workers), seed)) {}

Trainer::~Trainer() = default;

TrainReport Trainer::step(std::span<const Sample> batch, std::span<const Rules> rules) {
  if (batch.empty()) throw Error("an optimiser step needs at least one sample");
  const float scale = 1.0f / static_cast<float>(batch.size());
  parts_->workers.run([&](int worker) {
    // Our own workers share the batch out: LibTorch's products stay on the thread that asks. The setting belongs to a thread, not only to the process.
    at::set_num_threads(1);
    const auto [first, last] = parts_->share(worker, static_cast<std::int64_t>(batch.size()));
    const auto index = static_cast<std::size_t>(worker);
    parts_->reports[index] = {};
    parts_->gradients[index].run(parts_->weights.data(), batch.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), rules, scale,
                                 parts_->reports[index]);
  });
  TrainReport report;
  for (const TrainReport& part : parts_->reports) report.add(part);
  const double squares = parts_->reduce_gradients();
  ++parts_->steps;
  if (!std::isfinite(squares)) {  // its losses would spoil the means of all others
    TrainReport skipped;
    skipped.skipped_steps = 1;
    return skipped;
  }
  report.steps = 1;
  report.gradient_norm_sum = std::sqrt(squares);
  parts_->update(report.gradient_norm_sum);
  return report;
}

void Trainer::set_progress(double share) { parts_->progress = std::clamp(share, 0.0, 1.0); }
double Trainer::progress() const { return parts_->progress; }
double Trainer::learning_rate() const { return parts_->learning_rate(); }
std::int64_t Trainer::steps() const { return parts_->steps; }
std::int64_t Trainer::skipped_steps() const { return parts_->steps - parts_->updates; }
const NetworkLayout& Trainer::layout() const { return parts_->layout; }

FoldedNetwork Trainer::folded(bool averaged) const { return fold_network(parts_->layout, averaged ? parts_->averaged : parts_->weights); }

TrainerState Trainer::save() const {
  TrainerState state;
  write_tensors(parts_->layout, parts_->weights, "raw.", state.weights);
  write_tensors(parts_->layout, parts_->averaged, "averaged.", state.weights);
  write_tensors(parts_->layout, parts_->mean, "mean.", state.optimizer);
  write_tensors(parts_->layout, parts_->square, "square.", state.optimizer);
  const std::int64_t counters[] = {parts_->steps, parts_->updates, std::bit_cast<std::int64_t>(parts_->progress)};
  state.optimizer.tensors["counters"] = Tensor::integers(counters);
  return state;
}

void Trainer::load(const TrainerState& state) {
  check_tensors(parts_->layout, {"raw.", "averaged."}, {}, state.weights, "weights.safetensors");
  check_tensors(parts_->layout, {"mean.", "square."}, {"counters"}, state.optimizer, "optimizer.safetensors");
  const std::span<const std::int64_t> counters = state.optimizer.tensors.at("counters").as_integers();
  if (counters.size() != 3) throw Error("the counters of the optimiser are not three numbers: optimizer.safetensors: made by another version");
  read_tensors(parts_->layout, "raw.", state.weights, parts_->weights);
  read_tensors(parts_->layout, "averaged.", state.weights, parts_->averaged);
  read_tensors(parts_->layout, "mean.", state.optimizer, parts_->mean);
  read_tensors(parts_->layout, "square.", state.optimizer, parts_->square);
  parts_->steps = counters[0];
  parts_->updates = counters[1];
  parts_->progress = std::bit_cast<double>(counters[2]);
}

void Trainer::start_from(const SafeTensors& weights) {
  check_tensors(parts_->layout, {"raw.", "averaged."}, {}, weights, "weights.safetensors");
  read_tensors(parts_->layout, "averaged.", weights, parts_->weights);
  parts_->averaged = parts_->weights;
  std::fill(parts_->mean.begin(), parts_->mean.end(), 0.0f);
  std::fill(parts_->square.begin(), parts_->square.end(), 0.0f);
  parts_->steps = parts_->updates = 0;
  parts_->progress = 0;
}

}  // namespace wari
