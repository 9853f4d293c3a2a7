#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "tests/train/training_samples.h"
#include "train/device_self_test.h"
#include "train/inference/calibration.h"
#include "train/inference/cpu_network.h"
#include "train/trainer.h"

// The GPU's way of learning, on this processor, against the one by hand.
namespace wari {
namespace {

TrainerSettings settings_for_comparison() {
  TrainerSettings settings;
  settings.schedule = Schedule::constant;
  settings.warmup_steps = 4;
  settings.root_value_share = 0.25;
  settings.clip_norm = 0.5;  // bites in some steps and not in others
  return settings;
}

const std::vector<Rules>& two_rule_sets() {
  static const std::vector<Rules> rules = {parse_rules("abapa"), parse_rules("awale,seeds_per_pit=3")};
  return rules;
}

std::vector<Sample> batch_of(int step) {
  std::vector<Sample> samples = random_samples(two_rule_sets()[0], 90, static_cast<std::uint64_t>(step));
  for (const Sample& sample : random_samples(two_rule_sets()[1], 40, static_cast<std::uint64_t>(step) + 100, 1)) samples.push_back(sample);
  return samples;
}

// Largest difference of two files' tensors, as a share of the largest number in them.
double distance(const SafeTensors& a, const SafeTensors& b, const std::string& name) {
  const std::span<const float> x = a.tensors.at(name).as_floats(), y = b.tensors.at(name).as_floats();
  EXPECT_EQ(x.size(), y.size());
  double difference = 0, largest = 1e-12;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    largest = std::max(largest, std::abs(static_cast<double>(x[i])));
  }
  return difference / largest;
}

void expect_alike(const TrainerState& a, const TrainerState& b, double tolerance) {
  for (const auto& [name, tensor] : a.weights.tensors) EXPECT_LT(distance(a.weights, b.weights, name), tolerance) << name;
  for (const auto& [name, tensor] : a.optimizer.tensors) {
    if (name == "counters") continue;
    EXPECT_LT(distance(a.optimizer, b.optimizer, name), 10 * tolerance) << name;
  }
  EXPECT_EQ(a.optimizer.tensors.at("counters").bytes, b.optimizer.tensors.at("counters").bytes);
}

class TorchLearner : public testing::TestWithParam<NetworkSettings> {};

TEST_P(TorchLearner, TakesTheStepsOfTheOneByHandAndTellsTheSameNumbers) {
  Trainer by_hand(GetParam(), settings_for_comparison(), 1, 7), torch(GetParam(), settings_for_comparison(), 2, 7, LearnsOn::torch_cpu);
  expect_alike(by_hand.save(), torch.save(), 1e-9);
  TrainReport expected, got;
  for (int step = 0; step < 12; ++step) {
    const std::vector<Sample> batch = batch_of(step);
    expected.add(by_hand.step(batch, two_rule_sets()));
    got.add(torch.step(batch, two_rule_sets()));
    EXPECT_EQ(by_hand.learning_rate(), torch.learning_rate());
  }
  EXPECT_EQ(got.samples, 0) << "told at the end";
  got.add(torch.finish());
  EXPECT_EQ(torch.finish().samples, 0) << "told once";
  expect_alike(by_hand.save(), torch.save(), 2e-3);
  EXPECT_EQ(got.samples, expected.samples);
  EXPECT_EQ(got.policy_samples, expected.policy_samples);
  EXPECT_GT(expected.samples, expected.policy_samples) << "some have no policy target";
  EXPECT_EQ(got.steps, expected.steps);
  EXPECT_EQ(got.skipped_steps, 0);
  const auto near = [](double a, double b, const char* what) { EXPECT_NEAR(a, b, 1e-3 * (1 + std::abs(b))) << what; };
  near(got.policy_loss(), expected.policy_loss(), "policy loss");
  near(got.policy_target_entropy(), expected.policy_target_entropy(), "target entropy");
  near(got.policy_entropy(), expected.policy_entropy(), "policy entropy");
  near(got.policy_accuracy(), expected.policy_accuracy(), "policy accuracy");
  near(got.value_loss(), expected.value_loss(), "value loss");
  near(got.value_accuracy(), expected.value_accuracy(), "value accuracy");
  near(got.margin_loss(), expected.margin_loss(), "margin loss");
  near(got.margin_classes_loss(), expected.margin_classes_loss(), "margin classes loss");
  near(got.plies_left_loss(), expected.plies_left_loss(), "plies left loss");
  near(got.value_mean(), expected.value_mean(), "value mean");
  near(got.value_spread(), expected.value_spread(), "value spread");
  near(got.gradient_norm(), expected.gradient_norm(), "gradient norm");
  double bins = 0;
  for (std::size_t bin = 0; bin < kCalibrationBins; ++bin) {
    EXPECT_NEAR(got.bin_count[bin], expected.bin_count[bin], 2) << bin;  // a value at the edge of two
    bins += got.bin_count[bin];
  }
  EXPECT_EQ(bins, static_cast<double>(got.samples));
}

INSTANTIATE_TEST_SUITE_P(Networks, TorchLearner, testing::Values(NetworkSettings{TrunkKind::mlp, 32, 2}, NetworkSettings{TrunkKind::conv, 16, 1}),
                         [](const auto& instance) { return network_name(instance.param); });

TEST(TorchLearnerState, GoesToTheOneByHandAndBack) {
  const NetworkSettings network{TrunkKind::mlp, 32, 1};
  Trainer torch(network, settings_for_comparison(), 1, 7, LearnsOn::torch_cpu), by_hand(network, settings_for_comparison(), 1, 8), again(network, settings_for_comparison(), 1, 9, LearnsOn::torch_cpu);
  for (int step = 0; step < 5; ++step) torch.step(batch_of(step), two_rule_sets());
  by_hand.load(torch.save());
  again.load(torch.save());
  expect_alike(torch.save(), by_hand.save(), 1e-9);
  for (Trainer* trainer : {&torch, &by_hand, &again}) trainer->step(batch_of(6), two_rule_sets());
  expect_alike(torch.save(), again.save(), 1e-9);
  expect_alike(torch.save(), by_hand.save(), 1e-3);
}

TEST(TorchLearnerState, AStepWithoutAFiniteGradientChangesNothingAndIsCounted) {
  const NetworkSettings network{TrunkKind::mlp, 32, 1};
  Trainer trainer(network, settings_for_comparison(), 1, 7, LearnsOn::torch_cpu);
  std::vector<Sample> batch = batch_of(1);
  TrainReport report = trainer.step(batch, two_rule_sets());
  report.add(trainer.finish());
  EXPECT_EQ(report.steps, 1);
  TrainerState state = trainer.save();
  Tensor& weight = state.weights.tensors.at("raw.wdl.weight");
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(weight.bytes.data(), &infinite, sizeof(infinite));
  trainer.load(state);
  trainer.step(batch, two_rule_sets());
  report = trainer.finish();
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(report.skipped_steps, 1);
  EXPECT_EQ(report.samples, 0) << "its losses would spoil the means";
  EXPECT_TRUE(std::isfinite(report.value_loss()));
  EXPECT_EQ(trainer.skipped_steps(), 1);
  const TrainerState after = trainer.save();
  for (const auto& [name, tensor] : state.weights.tensors) {
    if (!name.starts_with("raw.")) continue;
    EXPECT_EQ(after.weights.tensors.at(name).bytes, tensor.bytes) << name;
  }
  for (const auto& [name, tensor] : state.optimizer.tensors) {
    if (name == "counters") continue;
    EXPECT_EQ(after.optimizer.tensors.at(name).bytes, tensor.bytes) << name;
  }
}

TEST(TorchLearnerState, TheSelfTestSeesItLearnAsTheCpuDoes) {
  const SelfTest test = test_learning(LearnsOn::torch_cpu);
  EXPECT_EQ(test.fault, "") << test.detail;
}

TEST(DeviceNetwork, WrongAnswersAreJudgedWrong) {
  const NetworkLayout layout({TrunkKind::mlp, 32, 1});
  const std::vector<Token> tokens = calibration_positions(two_rule_sets(), 64, 3);
  std::vector<float> outputs(64 * kNetworkOutputs);
  CpuNetwork(fold_network(layout, initial_weights(layout, 1)), Precision::float32, {}).evaluate(tokens.data(), 64, outputs.data());
  EXPECT_EQ(judge_outputs(tokens, outputs, outputs, DevicePrecision::bfloat16).fault, "");
  std::vector<float> rounded = outputs, shifted = outputs, broken = outputs;
  for (float& output : rounded) output *= 1.003f;  // bfloat16
  EXPECT_EQ(judge_outputs(tokens, outputs, rounded, DevicePrecision::bfloat16).fault, "");
  for (float& output : rounded) output *= 1.2f;
  EXPECT_NE(judge_outputs(tokens, outputs, rounded, DevicePrecision::float32).fault, "");
  std::rotate(shifted.begin(), shifted.begin() + kNetworkOutputs + 1, shifted.end());
  EXPECT_NE(judge_outputs(tokens, outputs, shifted, DevicePrecision::bfloat16).fault, "");
  broken[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(judge_outputs(tokens, outputs, broken, DevicePrecision::bfloat16).fault, "");
}

TEST(TorchLearnerState, WithoutAGpuCudaIsRefusedInOneLine) {
  if (std::FILE* const driver = std::fopen("/dev/nvidia0", "r")) {
    std::fclose(driver);
    GTEST_SKIP() << "there is a GPU";
  }
  try {
    Trainer trainer({TrunkKind::mlp, 32, 1}, settings_for_comparison(), 1, 7, LearnsOn::cuda);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("device=cpu"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace wari
