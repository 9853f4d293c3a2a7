#include "train/sample_loss.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "search/evaluator.h"
#include "train/vector.h"

namespace wari {

namespace {

constexpr float kFullTarget = 65535.0f;  // sum of a policy target in fixed point

struct Softmax {
  float log_sum;  // log of the sum of exp(logit)
};

// Probabilities of `count` logits into `probabilities`.
template <int count>
inline Softmax softmax(const float* logits, float* probabilities) {
  constexpr int kVectors = (count + kVector - 1) / kVector;
  constexpr float kNever = -1e30f;
  float padded[kVectors * kVector];
  std::copy_n(logits, count, padded);
  std::fill(padded + count, std::end(padded), kNever);
  Vector most = load_vector(padded);
  for (int v = 1; v < kVectors; ++v) {
    const Vector next = load_vector(padded + v * kVector);
    most = next > most ? next : most;
  }
  float top = most[0];
  for (int lane = 1; lane < kVector; ++lane) top = most[lane] > top ? most[lane] : top;
  Vector sums{};
  for (int v = 0; v < kVectors; ++v) {
    const Vector power = exp_negative(load_vector(padded + v * kVector) - top);
    store_vector(padded + v * kVector, power);
    sums += power;
  }
  float sum = 0;
  for (int lane = 0; lane < kVector; ++lane) sum += sums[lane];
  const float inverse = 1.0f / sum;
  for (int i = 0; i < count; ++i) probabilities[i] = padded[i] * inverse;
  return {top + std::log(sum)};
}

void policy_loss(const Sample& sample, float scale, float* logits, TrainReport& report) {
  if (!has_policy_target(sample)) {
    std::fill_n(logits, kActions, 0.0f);
    return;
  }
  constexpr float kIllegal = -1e30f;
  float masked[kActions], probabilities[kActions];
  for (int i = 0; i < kActions; ++i) masked[i] = (sample.legal >> i & 1) != 0 ? logits[i] : kIllegal;
  const Softmax sums = softmax<kActions>(masked, probabilities);
  double loss = 0, target_entropy = 0, entropy = 0;
  int best = 0, best_target = 0;
  for (int i = 0; i < kActions; ++i) {
    if ((sample.legal >> i & 1) == 0) {
      logits[i] = 0;
      continue;
    }
    const float target = static_cast<float>(sample.policy[i]) / kFullTarget;
    const float log_probability = logits[i] - sums.log_sum;
    loss -= static_cast<double>(target * log_probability);
    entropy -= static_cast<double>(probabilities[i] * log_probability);
    if (target > 0) target_entropy -= static_cast<double>(target * std::log(target));
    if (masked[i] > masked[best]) best = i;
    if (sample.policy[i] > sample.policy[best_target]) best_target = i;
    logits[i] = scale * (probabilities[i] - target);
  }
  ++report.policy_samples;
  report.policy_loss_sum += loss;
  report.policy_target_entropy_sum += target_entropy;
  report.policy_entropy_sum += entropy;
  report.policy_hits += sample.policy[best] == sample.policy[best_target] ? 1 : 0;
}

void value_loss(const TrainerSettings& settings, const Sample& sample, float scale, float* logits, TrainReport& report) {
  float target[3], probabilities[3];
  value_target(static_cast<float>(settings.root_value_share), sample, target);
  const Softmax sums = softmax<3>(logits, probabilities);
  double loss = 0;
  for (int i = 0; i < 3; ++i) {
    loss -= static_cast<double>(target[i] * (logits[i] - sums.log_sum));
    logits[i] = scale * (probabilities[i] - target[i]);
  }
  const double value = static_cast<double>(probabilities[0] - probabilities[2]);
  const int guess = static_cast<int>(std::max_element(probabilities, probabilities + 3) - probabilities);
  report.value_loss_sum += loss;
  report.value_hits += guess == sample.outcome ? 1 : 0;
  report.value_sum += value;
  report.value_squares += value * value;
  const double place = std::isfinite(value) ? (value + 1) * 0.5 * kCalibrationBins : 0;
  const auto bin = static_cast<std::size_t>(std::clamp(static_cast<int>(place), 0, kCalibrationBins - 1));
  report.bin_count[bin] += 1;
  report.bin_predicted[bin] += value;
  report.bin_outcome[bin] += 1 - static_cast<int>(sample.outcome);
}

// Gradient of scale x (output - target)^2; the report gets the squared error.
void squared_error(float target, float scale, float* output, double& sum) {
  const float error = *output - target;
  sum += static_cast<double>(error) * static_cast<double>(error);
  *output = 2 * scale * error;
}

void margin_classes_loss(int target, float scale, float* logits, double& sum) {
  float probabilities[kMarginClasses];
  const Softmax sums = softmax<kMarginClasses>(logits, probabilities);
  sum += static_cast<double>(sums.log_sum - logits[target]);
  for (int i = 0; i < kMarginClasses; ++i) logits[i] = scale * probabilities[i];
  logits[target] -= scale;
}

}  // namespace

void sample_loss(const TrainerSettings& settings, const Sample& sample, int total_seeds, float scale, float* outputs, TrainReport& report) {
  const auto weighted = [&](double weight) { return scale * static_cast<float>(weight); };
  ++report.samples;
  policy_loss(sample, weighted(settings.policy_weight), outputs + kPolicyOutput, report);
  value_loss(settings, sample, weighted(settings.value_weight), outputs + kWdlOutput, report);
  squared_error(margin_target(sample, total_seeds), weighted(settings.margin_weight), outputs + kMarginOutput, report.margin_loss_sum);
  margin_classes_loss(margin_class(sample), weighted(settings.margin_classes_weight), outputs + kMarginClassOutput, report.margin_classes_loss_sum);
  squared_error(plies_left_target(sample), weighted(settings.plies_left_weight), outputs + kPliesLeftOutput, report.plies_left_loss_sum);
}

}  // namespace wari
