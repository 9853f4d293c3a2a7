#include <ATen/autocast_mode.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <dlfcn.h>
#include <torch/types.h>

#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/tokens.h"
#include "search/evaluator.h"
#include "selfplay/worker_team.h"
#include "train/adamw.h"
#include "train/learner.h"
#include "train/network_module.h"
#include "train/sample_loss.h"

namespace wari {

namespace {

// What a batch is on its way to the device: two matrices, filled by CPU threads from samples.
constexpr int kLegalColumn = kTokens;                       // integers: tokens, legal actions (0 or 1), margin class, outcome
constexpr int kClassColumn = kLegalColumn + kActions;
constexpr int kOutcomeColumn = kClassColumn + 1;
constexpr int kIntegers = kOutcomeColumn + 1;
constexpr int kWdlColumn = kActions;                        // numbers: policy target, win/draw/loss target, margin, plies left, 1 where there is a policy target
constexpr int kMarginColumn = kWdlColumn + 3;
constexpr int kPliesColumn = kMarginColumn + 1;
constexpr int kHasPolicyColumn = kPliesColumn + 1;
constexpr int kNumbers = kHasPolicyColumn + 1;

void encode_sample(const TrainerSettings& settings, const Sample& sample, const Rules& rules, std::int32_t* integers /* [kIntegers] */, float* numbers /* [kNumbers] */) {
  Token tokens[kTokens];
  encode_board(sowing_tables(), rules, sample.position, sample.quiet_plies, tokens);
  encode_rules(rules, tokens + kBoardTokens);
  for (int i = 0; i < kTokens; ++i) integers[i] = tokens[i];
  for (int action = 0; action < kActions; ++action) {
    integers[kLegalColumn + action] = sample.legal >> action & 1;
    numbers[action] = static_cast<float>(sample.policy[action]) / 65535.0f;
  }
  integers[kClassColumn] = margin_class(sample);
  integers[kOutcomeColumn] = sample.outcome;
  value_target(settings, sample, numbers + kWdlColumn);
  numbers[kMarginColumn] = margin_target(sample, rules.total_seeds());
  numbers[kPliesColumn] = plies_left_target(sample);
  numbers[kHasPolicyColumn] = has_policy_target(sample) ? 1.0f : 0.0f;
}

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
  TorchLearner(const NetworkLayout& layout, const TrainerSettings& settings, int workers, torch::Device device)
      : layout_(layout), settings_(settings), workers_(workers), device_(device), module_(layout.settings()), host_(layout.size()) {
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
    const auto [integers, numbers] = to_device(batch, rules);
    torch::Tensor outputs;
    {
      const Autocast autocast(device_.is_cuda());
      outputs = module_.forward(integers.slice(1, 0, kTokens)).to(torch::kFloat);
    }
    torch::Tensor sums;
    loss(outputs, integers, numbers, sums).backward();
    update(rates, sums);
    return {};
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
  std::pair<torch::Tensor, torch::Tensor> to_device(std::span<const Sample> batch, std::span<const Rules> rules) {
    const auto rows = static_cast<std::int64_t>(batch.size());
    const auto pinned = [&](torch::ScalarType type) { return torch::TensorOptions().dtype(type).pinned_memory(device_.is_cuda()); };
    const torch::Tensor integers = torch::empty({rows, kIntegers}, pinned(torch::kInt)), numbers = torch::empty({rows, kNumbers}, pinned(torch::kFloat));
    std::int32_t* const integer = integers.data_ptr<std::int32_t>();
    float* const number = numbers.data_ptr<float>();
    workers_.run([&](int worker) {
      for (std::int64_t row = rows * worker / workers_.workers(); row < rows * (worker + 1) / workers_.workers(); ++row) {
        const Sample& sample = batch[static_cast<std::size_t>(row)];
        encode_sample(settings_, sample, rules[sample.rules_index], integer + row * kIntegers, number + row * kNumbers);
      }
    });
    return {integers.to(device_, /*non_blocking=*/true), numbers.to(device_, /*non_blocking=*/true)};
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
  LearnerState host_;  // what state() last read
};

}  // namespace

std::unique_ptr<Learner> make_torch_learner(const NetworkLayout& layout, const TrainerSettings& settings, int workers, bool cuda) {
  if (cuda) load_torch_cuda();
  return std::make_unique<TorchLearner>(layout, settings, workers, cuda ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU));
}

}  // namespace wari
