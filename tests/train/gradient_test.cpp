#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "search/evaluator.h"
#include "tests/train/training_samples.h"
#include "train/cpu_gradient.h"
#include "train/inference/cpu_network.h"
#include "train/network_module.h"

// The gradient by hand against autograd on the module, head by head, and the kernels of inference against the module.
namespace wari {
namespace {

torch::Tensor encode(std::span<const Sample> samples, std::span<const Rules> rules) {
  torch::Tensor tokens = torch::zeros({static_cast<std::int64_t>(samples.size()), kTokens}, torch::kLong);
  auto values = tokens.accessor<std::int64_t, 2>();
  for (std::size_t s = 0; s < samples.size(); ++s) {
    Token row[kTokens];
    const Rules& set = rules[samples[s].rules_index];
    encode_board(sowing_tables(), set, samples[s].position, samples[s].quiet_plies, row);
    encode_rules(set, row + kBoardTokens);
    for (int i = 0; i < kTokens; ++i) values[static_cast<std::int64_t>(s)][i] = row[i];
  }
  return tokens;
}

// The loss once more, from its definition, with operations that autograd follows.
torch::Tensor reference_loss(const TrainerSettings& settings, const torch::Tensor& outputs, std::span<const Sample> samples, std::span<const Rules> rules) {
  torch::Tensor loss = torch::zeros({}, outputs.options());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Sample& sample = samples[s];
    const torch::Tensor row = outputs[static_cast<std::int64_t>(s)];
    torch::Tensor legal = torch::zeros({kActions}, outputs.options()), policy = torch::zeros({kActions}, outputs.options());
    for (int a = 0; a < kActions; ++a) {
      legal[a] = static_cast<double>(sample.legal >> a & 1);
      policy[a] = sample.policy[a] / 65535.0;
    }
    const torch::Tensor masked = row.slice(0, 0, kActions).masked_fill(legal == 0, -std::numeric_limits<double>::infinity());
    const torch::Tensor log_policy = torch::log_softmax(masked, 0).masked_fill(legal == 0, 0);
    loss = loss - settings.policy_weight * (policy * log_policy).sum();
    float target[3];
    value_target(static_cast<float>(settings.root_value_share), sample, target);
    const torch::Tensor log_wdl = torch::log_softmax(row.slice(0, kWdlOutput, kWdlOutput + 3), 0);
    for (int i = 0; i < 3; ++i) loss = loss - settings.value_weight * static_cast<double>(target[i]) * log_wdl[i];
    const double margin = sample.margin_half_seeds / 2.0 / rules[sample.rules_index].total_seeds();
    loss = loss + settings.margin_weight * (row[kMarginOutput] - margin).square();
    const torch::Tensor log_classes = torch::log_softmax(row.slice(0, kMarginClassOutput, kMarginClassOutput + kMarginClasses), 0);
    loss = loss - settings.margin_classes_weight * log_classes[margin_class(sample)];
    loss = loss + settings.plies_left_weight * (row[kPliesLeftOutput] - sample.plies_left / 100.0).square();
  }
  return loss / static_cast<double>(samples.size());
}

struct Case {
  std::string name;
  NetworkSettings network;
  std::vector<double> weights;  // of policy, value, margin, margin classes, plies left
};

class Gradient : public testing::TestWithParam<Case> {};

TEST_P(Gradient, ByHandEqualsAutograd) {
  const std::vector<Rules> rules = {parse_rules("abapa"), parse_rules("awari,seeds_per_pit=3")};
  std::vector<Sample> samples = random_samples(rules[0], 300, 1);  // more than one chunk
  for (const Sample& sample : random_samples(rules[1], 40, 2, 1)) samples.push_back(sample);
  TrainerSettings settings;
  settings.root_value_share = 0.25;
  settings.policy_weight = GetParam().weights[0];
  settings.value_weight = GetParam().weights[1];
  settings.margin_weight = GetParam().weights[2];
  settings.margin_classes_weight = GetParam().weights[3];
  settings.plies_left_weight = GetParam().weights[4];

  const NetworkLayout layout(GetParam().network);
  const std::vector<float> weights = initial_weights(layout, 3);
  CpuGradient by_hand(layout, settings);
  TrainReport report;
  by_hand.run(weights.data(), samples, rules, 1.0f / static_cast<float>(samples.size()), report);

  NetworkModule module(layout.settings());
  module.set_weights(weights);
  module.to(torch::kDouble);
  reference_loss(settings, module.forward(encode(samples, rules)), samples, rules).backward();
  const std::vector<float> expected = module.flat_gradient();
  double length = 0;
  for (const float value : expected) length += static_cast<double>(value) * static_cast<double>(value);
  ASSERT_GT(length, 1e-10);
  for (const TensorPlace& place : layout.tensors()) {
    double difference = 0;
    for (std::int64_t i = place.offset; i < place.offset + place.size; ++i) {
      const auto index = static_cast<std::size_t>(i);
      difference = std::max(difference, std::abs(static_cast<double>(expected[index]) - static_cast<double>(by_hand.gradient()[index])));
    }
    EXPECT_LT(difference, 2e-5 * std::sqrt(length)) << place.name;
  }
}

std::vector<Case> cases() {
  const NetworkSettings mlp{TrunkKind::mlp, 72, 2}, conv{TrunkKind::conv, 16, 2};  // 72: one block of registers and a rest
  std::vector<Case> all;
  for (const auto& [kind, network] : {std::pair{"Mlp", mlp}, std::pair{"Conv", conv}}) {
    const char* heads[] = {"Policy", "Value", "Margin", "MarginClasses", "PliesLeft"};
    for (std::size_t head = 0; head < 5; ++head) {
      std::vector<double> weights(5, 0.0);
      weights[head] = 1;
      all.push_back({std::string(kind) + heads[head], network, weights});
    }
    all.push_back({std::string(kind) + "All", network, {1, 1, 0.5, 0.02, 0.02}});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Heads, Gradient, testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

class FoldedParity : public testing::TestWithParam<NetworkSettings> {};

TEST_P(FoldedParity, InferenceEqualsTheModule) {
  const std::vector<Rules> rules = {parse_rules("abapa"), parse_rules("warri,laps=two")};
  std::vector<Sample> samples = random_samples(rules[0], 100, 5);
  for (const Sample& sample : random_samples(rules[1], 37, 6, 1)) samples.push_back(sample);
  const NetworkLayout layout(GetParam());
  std::vector<float> weights = initial_weights(layout, 7);
  for (const TensorPlace& place : layout.tensors()) {  // biases too, or a wrong one would not show
    for (std::int64_t i = 0; i < place.size && place.shape.size() == 1; ++i) weights[static_cast<std::size_t>(place.offset + i)] = 0.1f * static_cast<float>(i % 7 - 3);
  }
  NetworkModule module(layout.settings());
  module.set_weights(weights);
  const torch::NoGradGuard no_grad;
  const torch::Tensor tokens = encode(samples, rules);
  const torch::Tensor expected = module.forward(tokens).slice(1, 0, kNetworkOutputs).contiguous();
  const torch::Tensor short_tokens = tokens.to(torch::kShort).contiguous();
  CpuNetwork network(fold_network(layout, weights), Precision::float32, {});
  std::vector<float> outputs(samples.size() * kNetworkOutputs);
  network.evaluate(reinterpret_cast<const Token*>(short_tokens.data_ptr<std::int16_t>()), static_cast<int>(samples.size()), outputs.data());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_NEAR(outputs[i], expected.data_ptr<float>()[i], 1e-4) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FoldedParity, testing::Values(NetworkSettings{TrunkKind::mlp, 64, 2}, NetworkSettings{TrunkKind::mlp, 40, 3}, NetworkSettings{TrunkKind::conv, 32, 2}),
                         [](const auto& test) { return network_name(test.param); });

}  // namespace
}  // namespace wari
