#include "train/device_self_test.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/game.h"
#include "core/playout.h"
#include "core/random.h"
#include "cuda/device_network.h"
#include "train/batch_rows.h"
#include "train/inference/calibration.h"
#include "train/inference/cpu_network.h"
#include "train/network_evaluator.h"

namespace wari {

namespace {

constexpr int kSteps = 20;
constexpr int kBatch = 256;
constexpr double kTolerance = 0.1;  // of the way

// Positions of random games; what is learned from them is that low pits are good, which is as good as anything here.
std::vector<Sample> random_positions(const Rules& rules, std::uint64_t seed) {
  std::vector<Sample> samples;
  for (std::uint64_t number = 0; samples.size() < kBatch; ++number) {
    Game game(rules);
    while (!game.is_over() && samples.size() < kBatch) {
      Sample sample{};
      sample.position = game.position();
      sample.quiet_plies = static_cast<std::uint16_t>(game.quiet_plies());
      sample.ply = static_cast<std::uint16_t>(game.plies());
      sample.legal = game.legal();
      const int lowest = nth_action(sowing_tables(), game.legal(), 0);
      sample.policy[lowest] = 65535;
      sample.outcome = static_cast<std::uint8_t>(lowest % 3);
      sample.margin_half_seeds = static_cast<std::int16_t>(2 * lowest);
      sample.plies_left = 30;
      samples.push_back(sample);
      game.play(random_action(sowing_tables(), game.legal(), random_bits(seed, number, static_cast<std::uint32_t>(game.plies()), Purpose::test, 0)));
    }
  }
  return samples;
}

std::vector<float> raw_weights(const Trainer& trainer) {
  std::vector<float> all;
  for (const auto& [name, tensor] : trainer.save().weights.tensors) {
    const std::span<const float> values = tensor.as_floats();
    if (name.starts_with("raw.")) all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return std::sqrt(squares);
}

}  // namespace

SelfTest test_learning(LearnsOn where) {
  const NetworkSettings network{TrunkKind::mlp, 64, 2};
  TrainerSettings settings;
  settings.schedule = Schedule::constant;
  const std::vector<Rules> rules{Rules{}};
  Trainer by_hand(network, settings, 1, 1), other(network, settings, 1, 1, where);
  const std::vector<float> begin = raw_weights(by_hand);
  TrainReport report;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const std::vector<Sample> batch = random_positions(rules.front(), step);
    by_hand.step(batch, rules);
    report.add(other.step(batch, rules));
  }
  report.add(other.finish());
  const std::vector<float> expected = raw_weights(by_hand), got = raw_weights(other);
  const double way = distance(begin, expected), apart = distance(expected, got) / way;
  SelfTest result;
  result.detail = fmt::format("{} steps of a network of 2 x 64 went the CPU's way but for {:.2g} of it", kSteps, apart);
  if (!(apart < kTolerance)) result.fault = fmt::format("the network learns otherwise than on the CPU: after {} steps the weights are {:.2g} of the way apart (at most {} is right)", kSteps, apart, kTolerance);
  if (report.steps != kSteps) result.fault = fmt::format("{} of {} steps had a gradient that is not finite", report.skipped_steps, kSteps);
  return result;
}

SelfTest test_batches(SampleWindow& window, double root_value_share, Gather gather) {
  std::vector<Rules> rules;
  std::vector<Sample> samples;
  for (const auto& [name, preset] : rule_presets()) {
    for (Sample& sample : random_positions(preset, rules.size())) {
      sample.rules_index = static_cast<std::uint8_t>(rules.size());
      sample.root_value = static_cast<std::int16_t>(sample.ply * 100 - 16000);
      samples.push_back(sample);
    }
    rules.push_back(preset);
  }
  // The last third is written over the first.
  const std::size_t third = samples.size() / 3;
  WindowView view;
  view.places = static_cast<std::int64_t>(samples.size() - third);
  view.rules = rules;
  view.runs = {{0, std::span(samples).first(samples.size() - third)}};
  window.follow(view, nullptr);
  view.runs = {{static_cast<std::int64_t>(third), std::span(samples).subspan(third)}};
  window.follow(view, nullptr);

  std::vector<std::uint32_t> places;
  for (std::size_t i = third; i < samples.size(); ++i) places.push_back(window.place_of(static_cast<std::int64_t>(i)));
  const GatheredBatch got = gather(window, places);
  for (std::size_t row = 0; row < places.size(); ++row) {
    const Sample& sample = samples[third + row];
    Token integers[kBatchIntegers];
    float numbers[kBatchNumbers];
    encode_sample(sowing_tables(), rules[sample.rules_index], static_cast<float>(root_value_share), sample, integers, numbers);
    if (std::memcmp(integers, &got.integers[row * kBatchIntegers], sizeof integers) == 0 && std::memcmp(numbers, &got.numbers[row * kBatchNumbers], sizeof numbers) == 0) continue;
    return {fmt::format("a batch from the window on the GPU differs from the CPU's in row {}, of rule set '{}': nothing is trained on this GPU; try WARI_CUDA=sync,guard", row, rules_name(rules[sample.rules_index])), ""};
  }
  return {"", fmt::format("{} positions gathered on the GPU are the CPU's", places.size())};
}

SelfTest test_device_batches() {
  constexpr double kShare = 0.25;
  return test_batches(*make_device_window(kShare), kShare, gather_on_device);
}

SelfTest judge_outputs(std::span<const Token> tokens, std::span<const float> expected, std::span<const float> got, DevicePrecision precision) {
  SelfTest result;
  if (!std::all_of(got.begin(), got.end(), [](float output) { return std::isfinite(output); })) {
    result.fault = "the network answers something that is not a number";
    return result;
  }
  const InferenceError error = compare_outputs(tokens, expected, got);
  result.detail = fmt::format("{} positions: policies differ by {:.2g} on average and {:.2g} at most, values by {:.2g} and {:.2g}", error.positions, error.policy_mean, error.policy_max, error.value_mean,
                              error.value_max);
  constexpr double kFloatTolerance = 1e-3;
  const bool float32 = precision == DevicePrecision::float32;
  const bool fine = float32 ? error.policy_max < kFloatTolerance && error.value_max < kFloatTolerance : error.acceptable();
  if (!fine) result.fault = fmt::format("the network answers otherwise than on the CPU, in {}: {}", float32 ? "float32" : "bfloat16", result.detail);
  return result;
}

SelfTest test_device_network(TrunkKind kind) {
  constexpr int kPositions = 512;
  const NetworkLayout layout(kind == TrunkKind::mlp ? NetworkSettings{TrunkKind::mlp, 256, 3} : NetworkSettings{TrunkKind::conv, 64, 4});
  const FoldedNetwork network = fold_network(layout, initial_weights(layout, 1));
  const std::vector<Rules> rules{Rules{}};
  const std::vector<Token> tokens = calibration_positions(rules, kPositions, 1);
  std::vector<float> expected(static_cast<std::size_t>(kPositions) * kNetworkOutputs);
  CpuNetwork(network, Precision::float32, {}).evaluate(tokens.data(), kPositions, expected.data());
  std::vector<Token> board;  // without the tokens of the rules, which the device has already
  for (std::size_t row = 0; row < kPositions; ++row) board.insert(board.end(), tokens.begin() + static_cast<std::ptrdiff_t>(row * kTokens), tokens.begin() + static_cast<std::ptrdiff_t>(row * kTokens + kBoardTokens));
  const std::vector<std::uint8_t> rules_index(kPositions, 0), active(kPositions, 1);
  SelfTest result;
  for (const char* precision : {"float32", "auto"}) {  // where float32 is right and bfloat16 is not, the arithmetic is what to look at
    const std::vector<float> got = evaluate_on_device(*make_device_network_evaluator(network, rules, kPositions, precision), board, rules_index, active);
    result = judge_outputs(tokens, expected, got, device_precision(precision));
    if (!result.fault.empty()) break;
  }
  return result;
}

}  // namespace wari
