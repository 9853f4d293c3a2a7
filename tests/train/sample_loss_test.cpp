#include <gtest/gtest.h>

#include <cmath>

#include "search/evaluator.h"
#include "search/move_log.h"
#include "tests/train/training_samples.h"
#include "train/sample_loss.h"

namespace wari {
namespace {

std::vector<float> random_outputs(std::uint64_t number) {
  std::vector<float> outputs(kHeadOutputs);
  for (std::uint32_t i = 0; i < kHeadOutputs; ++i) outputs[i] = 6.0f * random_unit(random_bits(9, number, 0, Purpose::test, i)) - 3.0f;
  return outputs;
}

TEST(SampleLoss, IllegalLogitsGetNoGradientAndDoNotCount) {
  const Rules rules = parse_rules("abapa");
  std::uint64_t number = 0;
  for (const Sample& sample : random_samples(rules, 200, 11)) {
    std::vector<float> outputs = random_outputs(++number), spoiled = outputs;
    for (std::size_t i = 0; i < kActions; ++i) {
      if ((sample.legal >> i & 1) == 0) spoiled[i] = 1e6f;
    }
    TrainReport report, spoiled_report;
    sample_loss({}, sample, 48, 1.0f, outputs.data(), report);
    sample_loss({}, sample, 48, 1.0f, spoiled.data(), spoiled_report);
    EXPECT_EQ(report.policy_loss_sum, spoiled_report.policy_loss_sum);
    double sum = 0;
    for (std::size_t i = 0; i < kActions; ++i) {
      sum += static_cast<double>(outputs[i]);
      EXPECT_EQ(outputs[i], spoiled[i]);
      if ((sample.legal >> i & 1) == 0) {
        EXPECT_EQ(outputs[i], 0.0f);
      }
    }
    EXPECT_NEAR(sum, 0, 1e-5);  // probabilities and target both sum to 1
  }
}

TEST(SampleLoss, PolicyLossIsTheMaskedCrossEntropyAndAtLeastTheTargetsEntropy) {
  const Rules rules = parse_rules("warri,capture=optional");
  std::uint64_t number = 100;
  for (const Sample& sample : random_samples(rules, 200, 12)) {
    const std::vector<float> logits = random_outputs(++number);
    double sum = 0, loss = 0, entropy = 0;
    for (std::size_t i = 0; i < kActions; ++i) sum += (sample.legal >> i & 1) != 0 ? std::exp(static_cast<double>(logits[i])) : 0.0;
    for (std::size_t i = 0; i < kActions; ++i) {
      const double target = sample.policy[i] / 65535.0;
      if (target > 0) loss -= target * (static_cast<double>(logits[i]) - std::log(sum));
      if (target > 0) entropy -= target * std::log(target);
    }
    TrainReport report;
    std::vector<float> outputs = logits;
    sample_loss({}, sample, rules.total_seeds(), 1.0f, outputs.data(), report);
    EXPECT_EQ(report.policy_samples, has_policy_target(sample) ? 1 : 0);
    EXPECT_NEAR(report.policy_loss_sum, loss, 1e-4);
    EXPECT_NEAR(report.policy_target_entropy_sum, entropy, 1e-4);
    EXPECT_GE(report.policy_loss_sum, report.policy_target_entropy_sum - 1e-5);
  }
}

TEST(SampleLoss, SamplesWithoutPolicyTeachOnlyTheValueHeads) {
  Sample sample = random_samples(parse_rules("abapa"), 1, 1).front();
  std::fill(std::begin(sample.policy), std::end(sample.policy), std::uint16_t{0});
  std::vector<float> outputs = random_outputs(1);
  TrainReport report;
  sample_loss({}, sample, 48, 1.0f, outputs.data(), report);
  for (std::size_t i = 0; i < kActions; ++i) EXPECT_EQ(outputs[i], 0.0f);
  EXPECT_NE(outputs[kWdlOutput], 0.0f);
  EXPECT_NE(outputs[kMarginOutput], 0.0f);
  EXPECT_EQ(report.policy_samples, 0);
  EXPECT_EQ(report.samples, 1);
}

TEST(SampleLoss, ValueTargetMixesTheSearchesValueWhereThereIsOne) {
  Sample sample{};
  sample.outcome = 2;
  sample.root_value = 32767;
  float target[3];
  value_target(0.5f, sample, target);
  EXPECT_FLOAT_EQ(target[0], 0.5f);
  EXPECT_FLOAT_EQ(target[1], 0.0f);
  EXPECT_FLOAT_EQ(target[2], 0.5f);
  sample.flags = kFlagRandom;
  value_target(0.5f, sample, target);
  EXPECT_FLOAT_EQ(target[2], 1.0f);
}

TEST(SampleLoss, HalfSeedsRoundToTheEvenClassOnBothSides) {
  const auto at = [](int half_seeds) {
    Sample sample{};
    sample.margin_half_seeds = static_cast<std::int16_t>(half_seeds);
    return margin_class(sample) - kMaxSeeds;
  };
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(1), 0);
  EXPECT_EQ(at(-1), 0);
  EXPECT_EQ(at(3), 2);
  EXPECT_EQ(at(-3), -2);
  EXPECT_EQ(at(5), 2);
  EXPECT_EQ(at(96), 48);
  EXPECT_EQ(at(-144), -72);
}

}  // namespace
}  // namespace wari
