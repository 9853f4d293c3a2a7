#include <algorithm>
#include <cmath>

#include "train/trainer.h"

namespace wari {

namespace {

double mean(double sum, std::int64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0.0; }

}  // namespace

void TrainReport::add(const TrainReport& other) {
  samples += other.samples;
  policy_samples += other.policy_samples;
  steps += other.steps;
  skipped_steps += other.skipped_steps;
  policy_loss_sum += other.policy_loss_sum;
  policy_target_entropy_sum += other.policy_target_entropy_sum;
  policy_entropy_sum += other.policy_entropy_sum;
  policy_hits += other.policy_hits;
  value_loss_sum += other.value_loss_sum;
  value_hits += other.value_hits;
  margin_loss_sum += other.margin_loss_sum;
  margin_classes_loss_sum += other.margin_classes_loss_sum;
  plies_left_loss_sum += other.plies_left_loss_sum;
  value_sum += other.value_sum;
  value_squares += other.value_squares;
  gradient_norm_sum += other.gradient_norm_sum;
  for (std::size_t bin = 0; bin < kCalibrationBins; ++bin) {
    bin_count[bin] += other.bin_count[bin];
    bin_predicted[bin] += other.bin_predicted[bin];
    bin_outcome[bin] += other.bin_outcome[bin];
  }
}

double TrainReport::policy_loss() const { return mean(policy_loss_sum, policy_samples); }
double TrainReport::policy_target_entropy() const { return mean(policy_target_entropy_sum, policy_samples); }
double TrainReport::policy_entropy() const { return mean(policy_entropy_sum, policy_samples); }
double TrainReport::policy_accuracy() const { return mean(policy_hits, policy_samples); }
double TrainReport::value_loss() const { return mean(value_loss_sum, samples); }
double TrainReport::value_accuracy() const { return mean(value_hits, samples); }
double TrainReport::margin_loss() const { return mean(margin_loss_sum, samples); }
double TrainReport::margin_classes_loss() const { return mean(margin_classes_loss_sum, samples); }
double TrainReport::plies_left_loss() const { return mean(plies_left_loss_sum, samples); }
double TrainReport::value_mean() const { return mean(value_sum, samples); }

double TrainReport::value_spread() const {
  const double average = value_mean();
  return std::sqrt(std::max(0.0, mean(value_squares, samples) - average * average));
}

double TrainReport::gradient_norm() const { return mean(gradient_norm_sum, steps); }

double TrainReport::calibration_error() const {
  double error = 0, count = 0;
  for (std::size_t bin = 0; bin < kCalibrationBins; ++bin) {
    error += std::abs(bin_predicted[bin] - bin_outcome[bin]);
    count += bin_count[bin];
  }
  return count > 0 ? error / count : 0.0;
}

}  // namespace wari
