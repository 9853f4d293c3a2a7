#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "tests/train/training_samples.h"
#include "train/state_tensors.h"
#include "train/trainer.h"

namespace wari {
namespace {

const NetworkSettings kSmall{TrunkKind::mlp, 64, 2};

TrainerSettings steady() {
  TrainerSettings settings;
  settings.schedule = Schedule::constant;
  settings.warmup_steps = 10;
  return settings;
}

std::vector<std::byte> bits(const TrainerState& state) {
  std::vector<std::byte> all = state.weights.bytes();
  const std::vector<std::byte> optimizer = state.optimizer.bytes();
  all.insert(all.end(), optimizer.begin(), optimizer.end());
  return all;
}

TEST(Trainer, OverfitsOneBatchToTheTargetsEntropy) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 32, 21);
  for (const NetworkSettings& network : {kSmall, NetworkSettings{TrunkKind::conv, 16, 1}}) {
    Trainer trainer(network, steady(), 1, 1);
    TrainReport report;
    for (int step = 0; step < 400; ++step) report = trainer.step(samples, rules);
    EXPECT_LT(report.policy_loss() - report.policy_target_entropy(), 0.02) << network_name(network);
    EXPECT_GE(report.policy_loss(), report.policy_target_entropy() - 1e-4);
    EXPECT_LT(report.value_loss(), 0.02);
    EXPECT_LT(report.margin_loss(), 0.01);
    EXPECT_GT(report.value_accuracy(), 0.99);
    EXPECT_GT(report.value_spread(), 0.5);
  }
}

TEST(Trainer, GoesOnFromASavedStateWithTheSameBits) {
  const std::vector<Rules> rules = {parse_rules("abapa"), parse_rules("awari")};
  TrainerSettings settings = steady();
  settings.schedule = Schedule::cosine;  // follows progress, which the state keeps
  const auto batch = [&](int step) { return random_samples(rules[static_cast<std::size_t>(step % 2)], 300, static_cast<std::uint64_t>(step), static_cast<std::uint8_t>(step % 2)); };
  Trainer whole(kSmall, settings, 1, 5), first(kSmall, settings, 1, 5);
  for (int step = 0; step < 3; ++step) {
    whole.set_progress(0.1 * step);
    first.set_progress(0.1 * step);
    whole.step(batch(step), rules);
    first.step(batch(step), rules);
  }
  const TrainerState saved = first.save();
  Trainer second(kSmall, settings, 1, 99);
  second.load({SafeTensors::parse(saved.weights.bytes(), "weights"), SafeTensors::parse(saved.optimizer.bytes(), "optimizer")});
  EXPECT_EQ(bits(second.save()), bits(saved));
  EXPECT_EQ(second.learning_rate(), whole.learning_rate());
  for (int step = 3; step < 6; ++step) {
    whole.step(batch(step), rules);
    second.step(batch(step), rules);
  }
  EXPECT_EQ(second.steps(), 6);
  EXPECT_EQ(bits(second.save()), bits(whole.save()));
}

TEST(Trainer, TheSameSeedGivesTheSameBitsAndAnotherSeedOthers) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 200, 1);
  Trainer one(kSmall, steady(), 2, 5), two(kSmall, steady(), 2, 5), other(kSmall, steady(), 2, 6);
  for (Trainer* trainer : {&one, &two, &other}) trainer->step(samples, rules);
  EXPECT_EQ(bits(one.save()), bits(two.save()));
  EXPECT_NE(bits(one.save()), bits(other.save()));
}

TEST(Trainer, AveragedWeightsAndCopiesDoNotFollowLaterSteps) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 64, 1);
  Trainer trainer(kSmall, steady(), 1, 5);
  for (int step = 0; step < 5; ++step) trainer.step(samples, rules);
  const TrainerState saved = trainer.save();
  const FoldedNetwork folded = trainer.folded();
  const std::vector<std::byte> before = bits(saved);
  const std::vector<float> head = folded.head_weight;
  trainer.step(samples, rules);
  EXPECT_EQ(bits(saved), before);
  EXPECT_EQ(folded.head_weight, head);
  EXPECT_NE(trainer.folded().head_weight, head);
  EXPECT_NE(trainer.folded(true).head_weight, trainer.folded(false).head_weight);
}

TEST(Trainer, AStepWithoutAFiniteGradientChangesNothingAndIsCounted) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 64, 1);
  Trainer trainer(kSmall, steady(), 1, 5);
  trainer.step(samples, rules);
  TrainerState state = trainer.save();
  Tensor& weight = state.weights.tensors.at("raw.wdl.weight");
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(weight.bytes.data(), &infinite, sizeof(infinite));
  trainer.load(state);
  const TrainReport report = trainer.step(samples, rules);
  EXPECT_EQ(report.skipped_steps, 1);
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(trainer.skipped_steps(), 1);
  EXPECT_EQ(trainer.steps(), 2);
  EXPECT_EQ(trainer.save().weights.bytes(), state.weights.bytes());
}

TEST(Trainer, LearningRateWarmsUpAndFollowsTheCosine) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 8, 1);
  TrainerSettings settings;
  settings.learning_rate = 0.01;
  settings.warmup_steps = 4;
  settings.schedule_steps = 20;
  settings.final_share = 0.1;
  Trainer trainer({TrunkKind::mlp, 16, 1}, settings, 1, 1);
  EXPECT_NEAR(trainer.learning_rate(), 0.0025, 1e-9);
  for (int step = 0; step < 10; ++step) trainer.step(samples, rules);
  EXPECT_NEAR(trainer.learning_rate(), 0.01 * 0.55, 1e-9);  // half way
  for (int step = 0; step < 15; ++step) trainer.step(samples, rules);
  EXPECT_NEAR(trainer.learning_rate(), 0.001, 1e-9);        // and stays there
  settings.schedule_steps = 0;
  settings.warmup_steps = 0;
  Trainer timed({TrunkKind::mlp, 16, 1}, settings, 1, 1);
  EXPECT_NEAR(timed.learning_rate(), 0.01, 1e-9);
  timed.set_progress(1);
  EXPECT_NEAR(timed.learning_rate(), 0.001, 1e-9);
}

TEST(Trainer, StartsFromTheAveragedWeightsOfAnother) {
  const std::vector<Rules> rules = {parse_rules("abapa")};
  const std::vector<Sample> samples = random_samples(rules[0], 64, 1);
  Trainer old(kSmall, steady(), 1, 5), young(kSmall, steady(), 1, 6);
  for (int step = 0; step < 3; ++step) old.step(samples, rules);
  young.start_from(old.save().weights);
  EXPECT_EQ(young.folded(false).embedding, old.folded(true).embedding);
  EXPECT_EQ(young.folded(true).head_bias, old.folded(true).head_bias);
  EXPECT_EQ(young.steps(), 0);
}

TEST(Trainer, RefusesTensorsOfAnotherNetworkAndSaysWhich) {
  Trainer trainer(kSmall, steady(), 1, 1), wide({TrunkKind::mlp, 32, 3}, steady(), 1, 1);
  try {
    trainer.load(wide.save());
    FAIL() << "accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("mlp_2x64"), std::string::npos) << text;
    EXPECT_NE(text.find("[32, 32]"), std::string::npos) << text;
    EXPECT_NE(text.find("more"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace wari
