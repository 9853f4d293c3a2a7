#include "train/inference/int8_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wari {
namespace {

// A tile's activations and one block of weights (16 outputs) should fit the first-level cache. A multiple of kGroupRows.
constexpr int kMlpTileRows = 48;
constexpr int kConvTileRows = 12;

int tile_rows(const TrunkLayout& layout) { return layout.conv() ? kConvTileRows : kMlpTileRows; }

}  // namespace

Int8Network::Int8Network(std::shared_ptr<const Int8Weights> weights) : weights_(std::move(weights)) {
  const TrunkLayout& layout = weights_->layout;
  const std::size_t elements = static_cast<std::size_t>(tile_rows(layout)) * layout.row_elements();
  x_.resize(elements);
  y_.resize(elements);
  outputs_.resize(static_cast<std::size_t>(tile_rows(layout)) * kNetworkOutputs);
  rule_row_.resize(layout.pitch);
  std::fill(std::begin(rule_tokens_), std::end(rule_tokens_), Token{kVocabulary});  // no rule set yet
}

void Int8Network::set_rules(const Token* rule_tokens) {
  if (std::memcmp(rule_tokens_, rule_tokens, sizeof rule_tokens_) == 0) return;
  std::memcpy(rule_tokens_, rule_tokens, sizeof rule_tokens_);
  const int pitch = weights_->layout.pitch;
  for (int unit = 0; unit < pitch; ++unit) {
    float sum = weights_->rule_bias[unit];
    for (int place = 0; place < kRuleTokens; ++place) {
      const int rule = std::max<int>(rule_tokens[place], kRuleOffset) - kRuleOffset;  // a caller's padding may hold any tokens
      sum += weights_->rule_rows[static_cast<std::size_t>(rule) * pitch + unit];
    }
    rule_row_[split_index(unit)] = static_cast<std::int16_t>(std::lround(std::clamp(sum / weights_->table_step[unit], -32000.0f, 32000.0f)));
  }
}

void Int8Network::embed(const Token* tokens, int rows, std::uint8_t* x) {
  const TrunkLayout& layout = weights_->layout;
  for (int position = 0; position < rows; ++position, tokens += kTokens) {
    set_rules(tokens + kBoardTokens);
    std::uint8_t* out = x + static_cast<std::ptrdiff_t>(position) * layout.row_elements() + layout.first_slot();
    if (layout.conv()) {
      fast::embed_conv(weights_->table, rule_row_.data(), tokens, out);
    } else {
      fast::embed_mlp(weights_->table, rule_row_.data(), tokens, out);
    }
  }
}

void Int8Network::layer(int index, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) const {
  const int first = weights_->layout.first_slot();
  fast::int8_layer(weights_->layers[index], plan, in, residual ? residual + first : nullptr, out + first);
}

void Int8Network::evaluate(const Token* tokens, int rows, float* outputs) {
  const TrunkLayout& layout = weights_->layout;
  for (int start = 0; start < rows; start += tile_rows(layout)) {
    const int count = std::min(tile_rows(layout), rows - start);
    run_tile(*this, layout, tokens + static_cast<std::ptrdiff_t>(start) * kTokens, count, x_.data(), y_.data(), outputs_.data(), [](int, const std::uint8_t*) {});
    std::copy_n(outputs_.data(), count * kNetworkOutputs, outputs + static_cast<std::ptrdiff_t>(start) * kNetworkOutputs);
  }
}

}  // namespace wari
