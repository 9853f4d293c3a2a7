#include <ATen/autocast_mode.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "search/evaluator.h"
#include "selfplay/worker_team.h"
#include "train/adamw.h"
#include "train/batch_rows.h"
#include "train/learner.h"
#include "train/network_module.h"

namespace wari {

namespace {

// The sums of TrainReport as one vector on the device, in this order; the bins of calibration follow.
enum Sum : int { kSamples, kPolicySamples, kPolicyLoss, kTargetEntropy, kPolicyEntropy, kPolicyHits, kValueLoss, kValueHits, kMarginLoss, kClassesLoss, kPliesLoss, kValue, kValueSquares, kNorm, kSteps, kSums };
constexpr int kSkipped = kSums + 3 * kCalibrationBins;  // counted where all others are not
constexpr int kTotals = kSkipped + 1;

// Products in bfloat16, sums and losses in float32.
class Autocast {
 public:
  explicit Autocast(bool on) : on_(on) {
    if (!on_) return;
    at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCUDA, true);
  }
  ~Autocast() {
    if (!on_) return;
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCUDA, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

// LibTorch's CUDA side is large, so it is loaded only where it is wanted.
void load_torch_cuda() {
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Error(std::string("LibTorch's CUDA side cannot be loaded: ") + ::dlerror() + ": install it with scripts/setup.sh, or give device=cpu", ErrorKind::system);
  if (!at::globalContext().hasCUDA()) throw Error("LibTorch finds no GPU that it can use: its CUDA side is there: check the driver ('nvidia-smi'), or give device=cpu");
}

class TorchLearner final : public Learner {
 public:
  TorchLearner(const NetworkLayout& layout, const TrainerSettings& settings, int workers, torch::Device device, std::unique_ptr<SampleWindow> window)
      : layout_(layout), settings_(settings), workers_(workers), device_(device), module_(layout.settings()), window_(std::move(window)), host_(layout.size()) {
    module_.to(device_);
    for (const auto& parameter : module_.named_parameters()) {
      const torch::NoGradGuard no_grad;
      const TensorPlace& place = layout_.find(parameter.key());
      Group& group = groups_[place.decays ? 0 : 1];
      group.places.push_back(&place);
      group.weights.push_back(parameter.value());
      for (auto* list : {&group.averaged, &group.mean, &group.square}) list->push_back(torch::zeros_like(parameter.value(), torch::requires_grad(false)));
    }
    updates_ = torch::zeros({}, on_device(torch::kFloat));
    totals_ = torch::zeros({kTotals}, on_device(torch::kDouble));
    bins_ = torch::arange(kCalibrationBins, on_device(torch::kLong)).unsqueeze(0);
  }

  TrainReport step(std::span<const Sample> batch, std::span<const Rules> rules, const StepRates& rates) override {
    return learn(encoded(batch, rules), rates);
  }

  TrainReport step_from(const Replay& replay, std::uint64_t number, int batch, const StepRates& rates) override {
    if (!has_window(replay)) return Learner::step_from(replay, number, batch, rates);
    return learn(gathered(replay, number, batch), rates);
  }

  TrainReport finish() override {
    const torch::Tensor host = totals_.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);  // waits
    totals_.zero_();
    const double* const sums = host.data_ptr<double>();
    TrainReport report;
    report.samples = std::llround(sums[kSamples]);
    report.policy_samples = std::llround(sums[kPolicySamples]);
    report.steps = std::llround(sums[kSteps]);
    report.skipped_steps = std::llround(sums[kSkipped]);
    report.policy_loss_sum = sums[kPolicyLoss];
    report.policy_target_entropy_sum = sums[kTargetEntropy];
    report.policy_entropy_sum = sums[kPolicyEntropy];
    report.policy_hits = sums[kPolicyHits];
    report.value_loss_sum = sums[kValueLoss];
    report.value_hits = sums[kValueHits];
    report.margin_loss_sum = sums[kMarginLoss];
    report.margin_classes_loss_sum = sums[kClassesLoss];
    report.plies_left_loss_sum = sums[kPliesLoss];
    report.value_sum = sums[kValue];
    report.value_squares = sums[kValueSquares];
    report.gradient_norm_sum = sums[kNorm];
    for (std::size_t bin = 0; bin < kCalibrationBins; ++bin) {
      const double* const first = sums + kSums + bin;
      report.bin_count[bin] = first[0];
      report.bin_predicted[bin] = first[kCalibrationBins];
      report.bin_outcome[bin] = first[2 * kCalibrationBins];
    }
    return report;
  }

  const LearnerState& state() override {
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.places.size(); ++i) {
        const TensorPlace& place = *group.places[i];
        read(group.weights[i], place, host_.weights);
        read(group.averaged[i], place, host_.averaged);
        read(group.mean[i], place, host_.mean);
        read(group.square[i], place, host_.square);
      }
    }
    return host_;
  }

  void set_state(const LearnerState& state, std::int64_t updates) override {
    const torch::NoGradGuard no_grad;
    for (Group& group : groups_) {
      for (std::size_t i = 0; i < group.places.size(); ++i) {
        const TensorPlace& place = *group.places[i];
        write(state.weights, place, group.weights[i]);
        write(state.averaged, place, group.averaged[i]);
        write(state.mean, place, group.mean[i]);
        write(state.square, place, group.square[i]);
      }
    }
    updates_.fill_(updates);
  }

 private:
  // Parameters with the same decay, and what belongs to each.
  struct Group {
    std::vector<const TensorPlace*> places;
    std::vector<torch::Tensor> weights, averaged, mean, square;
  };

  torch::TensorOptions on_device(torch::ScalarType type) const { return torch::TensorOptions().dtype(type).device(device_); }

  // Page-locked where there is a GPU: LibTorch keeps such memory until its copy is through, so the next batch can be filled meanwhile.
  torch::Tensor host_tensor(torch::IntArrayRef shape, torch::ScalarType type) const { return torch::empty(shape, torch::TensorOptions().dtype(type).pinned_memory(device_.is_cuda())); }

  // A batch on the device: the matrices of train/batch_rows.h.
  struct Batch {
    torch::Tensor integers, numbers;
    Token* integer_data() const { return reinterpret_cast<Token*>(integers.data_ptr<std::int16_t>()); }  // all below 2^15
    float* number_data() const { return numbers.data_ptr<float>(); }
  };

  Batch encoded(std::span<const Sample> samples, std::span<const Rules> rules) {
    const auto rows = static_cast<std::int64_t>(samples.size());
    const Batch batch{host_tensor({rows, kBatchIntegers}, torch::kShort), host_tensor({rows, kBatchNumbers}, torch::kFloat)};
    Token* const integers = batch.integer_data();
    float* const numbers = batch.number_data();
    const auto share = static_cast<float>(settings_.root_value_share);
    workers_.run([&](int worker) {
      for (std::int64_t row = rows * worker / workers_.workers(); row < rows * (worker + 1) / workers_.workers(); ++row) {
        const Sample& sample = samples[static_cast<std::size_t>(row)];
        encode_sample(sowing_tables(), rules[sample.rules_index], share, sample, integers + row * kBatchIntegers, numbers + row * kBatchNumbers);
      }
    });
    return {batch.integers.to(device_, /*non_blocking=*/true), batch.numbers.to(device_, /*non_blocking=*/true)};
  }

  // The same from the window on the device: the host only says which samples.
  Batch gathered(const Replay& replay, std::uint64_t number, std::int64_t rows) {
    numbers_.resize(static_cast<std::size_t>(rows));
    replay.draw_numbers(number, numbers_);
    const torch::Tensor host = host_tensor({rows}, torch::kInt);
    std::transform(numbers_.begin(), numbers_.end(), host.data_ptr<std::int32_t>(), [this](std::int64_t sample) { return static_cast<std::int32_t>(window_->place_of(sample)); });
    const torch::Tensor places = host.to(device_, /*non_blocking=*/true);
    Batch batch{torch::empty({rows, kBatchIntegers}, on_device(torch::kShort)), torch::empty({rows, kBatchNumbers}, on_device(torch::kFloat))};
    window_->gather(reinterpret_cast<const std::uint32_t*>(places.data_ptr<std::int32_t>()), static_cast<int>(rows), batch.integer_data(), batch.number_data(), stream());
    return batch;
  }

  // Whether the window's samples are on the device; the new ones of an iteration are copied here, once.
  bool has_window(const Replay& replay) {
    if (!window_) return false;
    if (window_->end() == replay.end_number()) return true;
    try {
      window_->follow(replay.view(), stream());
    } catch (const Error& error) {
      log_warning("the replay window cannot be kept on the device ({}): batches are encoded on the CPU, which may be slower", error.what());
      window_.reset();
    }
    return window_ != nullptr;
  }

  // LibTorch's, where everything of a step is put.
  void* stream() const { return device_.is_cuda() ? c10::impl::VirtualGuardImpl(device_.type()).getStream(device_).native_handle() : nullptr; }

  // Nothing here waits for the device.
  TrainReport learn(const Batch& batch, const StepRates& rates) {
    const torch::Tensor integers = batch.integers.to(torch::kInt);
    torch::Tensor outputs;
    {
      const Autocast autocast(device_.is_cuda());
      outputs = module_.forward(integers.slice(1, 0, kTokens)).to(torch::kFloat);
    }
    torch::Tensor sums;
    loss(outputs, integers, batch.numbers, sums).backward();
    update(rates, sums);
    return {};
  }

  // As sample_loss(), for all rows at once. `sums`: [kSums + 3 kCalibrationBins], the norm still 0.
  torch::Tensor loss(const torch::Tensor& outputs, const torch::Tensor& integers, const torch::Tensor& numbers, torch::Tensor& sums) const {
    constexpr double kIllegal = -1e30;
    const auto column = [&](int index) { return numbers.select(1, index); };
    const torch::Tensor illegal = integers.slice(1, kLegalColumn, kLegalColumn + kActions) == 0;
    const torch::Tensor policy = numbers.slice(1, 0, kActions), wdl = numbers.slice(1, kWdlColumn, kWdlColumn + 3);
    const torch::Tensor classes = integers.select(1, kClassColumn).to(torch::kLong), outcome = integers.select(1, kOutcomeColumn).to(torch::kLong);

    const torch::Tensor logits = outputs.slice(1, kPolicyOutput, kPolicyOutput + kActions).masked_fill(illegal, kIllegal);
    const torch::Tensor log_policy = torch::log_softmax(logits, 1);
    const torch::Tensor log_wdl = torch::log_softmax(outputs.slice(1, kWdlOutput, kWdlOutput + 3), 1);
    const torch::Tensor log_classes = torch::log_softmax(outputs.slice(1, kMarginClassOutput, kMarginClassOutput + kMarginClasses), 1);
    const torch::Tensor policy_loss = -(policy * log_policy).sum();
    const torch::Tensor value_loss = -(wdl * log_wdl).sum();
    const torch::Tensor margin_loss = (outputs.select(1, kMarginOutput) - column(kMarginColumn)).square().sum();
    const torch::Tensor classes_loss = -log_classes.gather(1, classes.unsqueeze(1)).sum();
    const torch::Tensor plies_loss = (outputs.select(1, kPliesLeftOutput) - column(kPliesColumn)).square().sum();

    const torch::NoGradGuard no_grad_for_sums;
    const torch::Tensor has_policy = column(kHasPolicyColumn);
    const torch::Tensor probabilities = log_policy.exp();
    const torch::Tensor chosen = policy.gather(1, logits.argmax(1, true)).squeeze(1);
    const torch::Tensor shares = log_wdl.exp();
    const torch::Tensor value = (shares.select(1, 0) - shares.select(1, 2)).to(torch::kDouble);
    const torch::Tensor place = ((value + 1) * 0.5 * kCalibrationBins).to(torch::kLong).clamp(0, kCalibrationBins - 1);
    const torch::Tensor in_bin = (place.unsqueeze(1) == bins_).to(torch::kDouble);  // [batch, bins]
    const torch::Tensor result = (1 - outcome).to(torch::kDouble);
    std::vector<torch::Tensor> scalars(kSums);
    scalars[kSamples] = torch::full({}, static_cast<double>(outputs.size(0)), value.options());
    scalars[kPolicySamples] = has_policy.sum();
    scalars[kPolicyLoss] = policy_loss;
    scalars[kTargetEntropy] = -torch::xlogy(policy, policy).sum();
    scalars[kPolicyEntropy] = -((probabilities * log_policy).sum(1) * has_policy).sum();
    scalars[kPolicyHits] = ((chosen == std::get<0>(policy.max(1))).to(torch::kFloat) * has_policy).sum();
    scalars[kValueLoss] = value_loss;
    scalars[kValueHits] = (log_wdl.argmax(1) == outcome).sum();
    scalars[kMarginLoss] = margin_loss;
    scalars[kClassesLoss] = classes_loss;
    scalars[kPliesLoss] = plies_loss;
    scalars[kValue] = value.sum();
    scalars[kValueSquares] = value.square().sum();
    scalars[kNorm] = torch::zeros({}, value.options());
    scalars[kSteps] = torch::ones({}, value.options());
    for (torch::Tensor& scalar : scalars) scalar = scalar.detach().to(torch::kDouble);
    sums = torch::cat({torch::stack(scalars), in_bin.sum(0), (in_bin * value.unsqueeze(1)).sum(0), (in_bin * result.unsqueeze(1)).sum(0)});

    const torch::AutoGradMode grad(true);
    return (policy_loss * settings_.policy_weight + value_loss * settings_.value_weight + margin_loss * settings_.margin_weight +
            classes_loss * settings_.margin_classes_weight + plies_loss * settings_.plies_left_weight) / static_cast<double>(outputs.size(0));
  }

  // Clipping, AdamW and the average; nothing where the gradient is not finite. All of it on the device: the host does not wait.
  void update(const StepRates& rates, torch::Tensor sums) {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> gradients[2];
    std::vector<torch::Tensor> norms;
    for (std::size_t g = 0; g < 2; ++g) {
      for (const torch::Tensor& weight : groups_[g].weights) gradients[g].push_back(weight.grad());
      for (torch::Tensor& norm : at::_foreach_norm(gradients[g], 2)) norms.push_back(std::move(norm));
    }
    const torch::Tensor norm = torch::stack(norms).norm();
    const torch::Tensor finite = norm.isfinite();
    const torch::Tensor found_inf = finite.logical_not().to(torch::kFloat);
    const torch::Tensor scale = settings_.clip_norm > 0 ? (norm / settings_.clip_norm).clamp_min(1.0) : torch::ones_like(norm);  // gradients are divided by it
    updates_.add_(1);
    for (std::size_t g = 0; g < 2; ++g) {
      Group& group = groups_[g];
      const std::vector<torch::Tensor> counts(group.weights.size(), updates_);
      at::_fused_adamw_(group.weights, gradients[g], group.mean, group.square, {}, counts, rates.learning_rate, settings_.beta1, settings_.beta2, g == 0 ? settings_.weight_decay : 0.0,
                        static_cast<double>(kAdamEpsilon), /*amsgrad=*/false, /*maximize=*/false, scale, found_inf);
      at::_foreach_lerp_(group.averaged, group.weights, 1 - rates.average_decay);  // after a skipped step towards the weights of before
      for (torch::Tensor& weight : group.weights) weight.mutable_grad().reset();
    }
    updates_.sub_(found_inf);
    sums.select(0, kNorm).copy_(norm);
    totals_.slice(0, 0, kSkipped).add_(torch::where(finite, sums, torch::zeros_like(sums)));
    totals_.select(0, kSkipped).add_(found_inf);
  }

  static void read(const torch::Tensor& from, const TensorPlace& place, AlignedVector<float>& flat) {
    const torch::Tensor host = from.detach().to(torch::kCPU).contiguous();
    std::memcpy(flat.data() + place.offset, host.data_ptr<float>(), static_cast<std::size_t>(place.size) * sizeof(float));
  }
  static void write(const AlignedVector<float>& flat, const TensorPlace& place, torch::Tensor& to) {
    to.copy_(torch::from_blob(const_cast<float*>(flat.data()) + place.offset, place.shape, torch::kFloat));
  }

  NetworkLayout layout_;
  TrainerSettings settings_;
  WorkerTeam workers_;
  torch::Device device_;
  NetworkModule module_;
  Group groups_[2];                // with weight decay, without
  torch::Tensor updates_;          // done, on the device, since only it knows which were skipped
  torch::Tensor totals_, bins_;    // [kTotals] float64; [1, kCalibrationBins]
  std::unique_ptr<SampleWindow> window_;  // on the device; null: batches are encoded here
  std::vector<std::int64_t> numbers_;     // of a batch's samples
  LearnerState host_;                     // what state() last read
};

}  // namespace

std::unique_ptr<Learner> make_torch_learner(const NetworkLayout& layout, const TrainerSettings& settings, int workers, bool cuda, std::unique_ptr<SampleWindow> window) {
  if (cuda) load_torch_cuda();
  return std::make_unique<TorchLearner>(layout, settings, workers, cuda ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU), std::move(window));
}

}  // namespace wari
