#pragma once

#include <cmath>
#include <vector>

#include "core/random.h"
#include "train/inference/calibration.h"
#include "train/inference/folded_network.h"

namespace wari {

// Numbers for tests: a fresh one at each call, the same sequence for the same seed.
class TestNumbers {
 public:
  explicit TestNumbers(std::uint64_t seed) : seed_(seed) {}
  std::uint32_t below(std::uint32_t count) { return random_below(bits(), count); }
  float uniform(float low, float high) { return low + (high - low) * random_unit(bits()); }
  float normal(float deviation) {  // Box and Muller
    return deviation * std::sqrt(-2 * std::log(random_unit(bits()))) * std::cos(6.2831853f * random_unit(bits()));
  }
  std::vector<float> normals(std::size_t count, float deviation) {
    std::vector<float> values(count);
    for (float& value : values) value = normal(deviation);
    return values;
  }

 private:
  std::uint64_t bits() { return random_bits(seed_, count_++, 0, Purpose::test, 0); }
  std::uint64_t seed_, count_ = 0;
};

// A network with weights as initialisation leaves them, so activations neither vanish nor explode.
inline FoldedNetwork random_network(TrunkKind kind, int width, int blocks, std::uint64_t seed) {
  TestNumbers numbers(seed);
  FoldedNetwork network;
  network.kind = kind;
  network.width = width;
  network.blocks = blocks;
  const std::size_t units = static_cast<std::size_t>(width);
  network.embedding = numbers.normals(kVocabulary * units, kind == TrunkKind::mlp ? 0.3f : 0.5f);
  network.input_bias = numbers.normals(units, 0.1f);
  for (int layer = 0; layer < network.layer_count(); ++layer) {
    const float inputs = static_cast<float>(network.layer_inputs());
    network.layers.push_back({numbers.normals(units * network.layer_inputs(), (kind == TrunkKind::mlp ? 0.7f : 1.0f) / std::sqrt(inputs)), numbers.normals(units, 0.1f)});
  }
  network.head_weight = numbers.normals(static_cast<std::size_t>(kNetworkOutputs) * network.features(), 1 / std::sqrt(static_cast<float>(network.features())));
  network.head_bias = numbers.normals(kNetworkOutputs, 0.1f);
  return network;
}

// The forward pass as folded_network.h writes it down, in double precision.
inline std::vector<double> reference_outputs(const FoldedNetwork& network, const Token* tokens) {
  const int width = network.width, positions = network.positions();
  const auto entry = [&](int token, int unit) { return static_cast<double>(network.embedding[static_cast<std::size_t>(token) * width + unit]); };
  std::vector<double> x(static_cast<std::size_t>(positions) * width);
  for (int pit = 0; pit < positions; ++pit) {
    for (int unit = 0; unit < width; ++unit) {
      double sum = network.input_bias[unit];
      for (int place = 0; place < kTokens; ++place) {
        const bool of_a_pit = place < kPitTokens || (place >= kPitTokens + kStoreTokens + 1 && place < kBoardTokens);
        const int pit_of_place = place < kPitTokens ? place : place - (kPitTokens + kStoreTokens + 1);
        if (network.kind == TrunkKind::mlp || !of_a_pit || pit_of_place == pit) sum += entry(tokens[place], unit);
      }
      x[pit * width + unit] = std::max(sum, 0.0);
    }
  }
  const auto apply = [&](const FoldedNetwork::Layer& layer, const std::vector<double>& in, const std::vector<double>* residual) {
    const int taps = network.kind == TrunkKind::conv ? 3 : 1;
    std::vector<double> out(in.size());
    for (int pit = 0; pit < positions; ++pit) {
      for (int output = 0; output < width; ++output) {
        double sum = layer.bias[output] + (residual ? (*residual)[pit * width + output] : 0);
        for (int tap = 0; tap < taps; ++tap) {
          const int from = taps == 1 ? 0 : (pit + tap - 1 + positions) % positions;
          for (int input = 0; input < width; ++input) sum += layer.weight[(static_cast<std::size_t>(output) * taps + tap) * width + input] * in[from * width + input];
        }
        out[pit * width + output] = std::max(sum, 0.0);
      }
    }
    return out;
  };
  for (int block = 0; block < network.blocks; ++block) {
    if (network.kind == TrunkKind::mlp) {
      x = apply(network.layers[block], x, &x);
    } else {
      const std::vector<double> y = apply(network.layers[2 * block], x, nullptr);
      x = apply(network.layers[2 * block + 1], y, &x);
    }
  }
  std::vector<double> outputs(kNetworkOutputs);
  for (int output = 0; output < kNetworkOutputs; ++output) {
    outputs[output] = network.head_bias[output];
    for (int feature = 0; feature < network.features(); ++feature) outputs[output] += network.head_weight[static_cast<std::size_t>(output) * network.features() + feature] * x[feature];
  }
  return outputs;
}

// Positions of three rule sets in turn.
inline std::vector<Token> mixed_positions(int positions, std::uint64_t seed) {
  std::vector<Rules> rules(3);
  rules[1].seeds_per_pit = 3;
  rules[2].laps = Laps::two;
  rules[2].repetition_occurrences = 3;
  return calibration_positions(rules, positions, seed);
}

}  // namespace wari
