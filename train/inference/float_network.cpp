#include "train/inference/float_network.h"

#include <algorithm>
#include <cstring>

namespace wari {
namespace {

// A tile's activations should stay in the second-level cache while the matrices pass by. A multiple of kGroupRows.
constexpr int kMlpTileRows = 48;
constexpr int kConvTileRows = 12;

int tile_rows(const TrunkLayout& layout) { return layout.conv() ? kConvTileRows : kMlpTileRows; }

FloatMatrix pack_layer(const FoldedNetwork& network, const TrunkLayout& layout, const FoldedNetwork::Layer& layer) {
  FloatMatrix matrix(layout.layer_inputs(), layout.pitch);
  const int taps = layout.conv() ? 3 : 1;
  for (int output = 0; output < network.width; ++output) {
    matrix.bias[output] = layer.bias[output];
    for (int tap = 0; tap < taps; ++tap) {
      for (int input = 0; input < network.width; ++input) {
        matrix.at(output, tap * layout.pitch + input) = layer.weight[(static_cast<std::size_t>(output) * taps + tap) * network.width + input];
      }
    }
  }
  return matrix;
}

FloatMatrix pack_head(const FoldedNetwork& network, const TrunkLayout& layout) {
  FloatMatrix matrix(layout.head_inputs(), kNetworkOutputs);
  for (int output = 0; output < kNetworkOutputs; ++output) {
    matrix.bias[output] = network.head_bias[output];
    for (int feature = 0; feature < network.features(); ++feature) {
      const int pit = feature / network.width, channel = feature % network.width;
      matrix.at(output, pit * layout.pitch + channel) = network.head_weight[static_cast<std::size_t>(output) * network.features() + feature];
    }
  }
  return matrix;
}

}  // namespace

FloatWeights::FloatWeights(const FoldedNetwork& network)
    : layout(network), embedding(static_cast<std::size_t>(kVocabulary) * layout.pitch), input_bias(layout.pitch), head(pack_head(network, layout)) {
  for (int token = 0; token < kVocabulary; ++token) {
    std::copy_n(network.embedding.data() + static_cast<std::size_t>(token) * network.width, network.width, embedding.data() + static_cast<std::size_t>(token) * layout.pitch);
  }
  std::copy(network.input_bias.begin(), network.input_bias.end(), input_bias.begin());
  for (const FoldedNetwork::Layer& layer : network.layers) layers.push_back(pack_layer(network, layout, layer));
}

FloatNetwork::FloatNetwork(std::shared_ptr<const FloatWeights> weights) : weights_(std::move(weights)) {
  const TrunkLayout& layout = weights_->layout;
  const std::size_t elements = static_cast<std::size_t>(tile_rows(layout)) * layout.row_elements();
  x_.resize(elements);
  y_.resize(elements);
  outputs_.resize(static_cast<std::size_t>(tile_rows(layout)) * kNetworkOutputs);
  rule_row_.resize(layout.pitch);
  std::fill(std::begin(rule_tokens_), std::end(rule_tokens_), Token{kVocabulary});  // no rule set yet
}

void FloatNetwork::set_rules(const Token* rule_tokens) {
  if (std::memcmp(rule_tokens_, rule_tokens, sizeof rule_tokens_) == 0) return;
  std::memcpy(rule_tokens_, rule_tokens, sizeof rule_tokens_);
  const float* rows[kRuleTokens];
  for (int place = 0; place < kRuleTokens; ++place) rows[place] = row(rule_tokens[place]);
  rule_row_ = weights_->input_bias;
  add_rows(rows, kRuleTokens, weights_->layout.pitch, rule_row_.data());
}

void FloatNetwork::embed(const Token* tokens, int rows, float* x) {
  const TrunkLayout& layout = weights_->layout;
  const int pitch = layout.pitch;
  AlignedVector<float> shared(layout.conv() ? pitch : 0);
  for (int position = 0; position < rows; ++position, tokens += kTokens) {
    set_rules(tokens + kBoardTokens);
    float* out = x + static_cast<std::ptrdiff_t>(position) * layout.row_elements() + layout.first_slot();
    const float* table_rows[kBoardTokens];
    for (int place = 0; place < kBoardTokens; ++place) table_rows[place] = row(tokens[place]);
    if (!layout.conv()) {
      std::copy_n(rule_row_.data(), pitch, out);
      add_rows(table_rows, kBoardTokens, pitch, out);
      for (int unit = 0; unit < pitch; ++unit) out[unit] = std::max(out[unit], 0.0f);
      continue;
    }
    std::copy(rule_row_.begin(), rule_row_.end(), shared.begin());
    add_rows(table_rows + kPitTokens, kStoreTokens + 1, pitch, shared.data());
    for (int pit = 0; pit < kPitTokens; ++pit, out += pitch) {
      const float* count = table_rows[pit];
      const float* capture = table_rows[kPitTokens + kStoreTokens + 1 + pit];
      for (int channel = 0; channel < pitch; ++channel) out[channel] = std::max(shared[channel] + count[channel] + capture[channel], 0.0f);
    }
  }
}

void FloatNetwork::layer(int index, const GroupPlan& plan, const float* in, const float* residual, float* out) const {
  const int first = weights_->layout.first_slot();
  float_layer(weights_->layers[index], plan, in, residual ? residual + first : nullptr, out + first);
}

template <class Seen>
void FloatNetwork::run(const Token* tokens, int rows, float* outputs, const Seen& seen) {
  const TrunkLayout& layout = weights_->layout;
  for (int start = 0; start < rows; start += tile_rows(layout)) {
    const int count = std::min(tile_rows(layout), rows - start);
    run_tile(*this, layout, tokens + static_cast<std::ptrdiff_t>(start) * kTokens, count, x_.data(), y_.data(), outputs_.data(),
             [&](int stage, const float* activations) { seen(stage, count, activations); });
    std::copy_n(outputs_.data(), count * kNetworkOutputs, outputs + static_cast<std::ptrdiff_t>(start) * kNetworkOutputs);
  }
}

void FloatNetwork::evaluate(const Token* tokens, int rows, float* outputs) {
  run(tokens, rows, outputs, [](int, int, const float*) {});
}

std::vector<float> FloatNetwork::largest_activations(const Token* tokens, int rows) {
  const TrunkLayout& layout = weights_->layout;
  std::vector<float> largest(static_cast<std::size_t>(layout.layers + 1) * layout.pitch, 0.0f);
  std::vector<float> outputs(static_cast<std::size_t>(rows) * kNetworkOutputs);
  run(tokens, rows, outputs.data(), [&](int stage, int count, const float* activations) {
    float* stage_largest = largest.data() + static_cast<std::ptrdiff_t>(stage) * layout.pitch;
    const std::ptrdiff_t vectors = static_cast<std::ptrdiff_t>(count) * layout.slots();
    for (std::ptrdiff_t vector = 0; vector < vectors; ++vector) {
      for (int unit = 0; unit < layout.pitch; ++unit) stage_largest[unit] = std::max(stage_largest[unit], activations[vector * layout.pitch + unit]);
    }
  });
  return largest;
}

}  // namespace wari
