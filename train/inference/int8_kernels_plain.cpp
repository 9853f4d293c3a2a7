#include <algorithm>
#include <cmath>

#include "train/inference/int8_kernels.h"

// What the integer kernels compute, in plain C++: the definition that the vector kernels are tested against, and the way out on other processors.
namespace wari::plain {
namespace {

std::int32_t sum_of_products(const Int8Matrix& matrix, int output, const std::uint8_t* in) {
  const int quads = matrix.inputs / Int8Matrix::kQuad;
  const std::int8_t* block = matrix.weight.data() + static_cast<std::size_t>(output / Int8Matrix::kBlock) * quads * Int8Matrix::kBlock * Int8Matrix::kQuad;
  std::int32_t sum = 0;
  for (int quad = 0; quad < quads; ++quad) {
    const std::int8_t* weight = block + (quad * Int8Matrix::kBlock + output % Int8Matrix::kBlock) * Int8Matrix::kQuad;
    for (int i = 0; i < Int8Matrix::kQuad; ++i) sum += in[quad * Int8Matrix::kQuad + i] * weight[i];
  }
  return sum;
}

std::uint8_t activation(int sum, std::int16_t rule_row, std::int16_t multiplier) {
  const int above_zero = std::clamp(sum + rule_row, 0, 32767 >> kEmbeddingShift) << kEmbeddingShift;
  return static_cast<std::uint8_t>(std::min((above_zero * multiplier + 0x4000) >> 15, Int8Matrix::kLargestActivation));
}

}  // namespace

void int8_layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) {
  for (int group = 0; group < plan.groups; ++group) {
    for (int row = 0; row < kGroupRows; ++row) {
      const std::ptrdiff_t at = plan.offset(group) + row * plan.distance;
      for (int output = 0; output < matrix.outputs; ++output) {
        float value = std::fma(static_cast<float>(sum_of_products(matrix, output, in + at)), matrix.scale[output], matrix.bias[output]);
        if (residual) value = std::fma(static_cast<float>(residual[at + output]), matrix.residual_scale[output], value);
        out[at + output] = static_cast<std::uint8_t>(std::clamp<long>(std::lrint(value), 0, Int8Matrix::kLargestActivation));
      }
    }
  }
}

void int8_head(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, float* outputs) {
  for (int group = 0; group < plan.groups; ++group) {
    for (int row = 0; row < kGroupRows; ++row) {
      for (int output = 0; output < kNetworkOutputs; ++output) {
        const std::uint8_t* activations = in + plan.offset(group) + row * plan.distance;
        float value = matrix.bias[output];
        for (const int part : {output, kNetworkOutputs + output}) value = std::fma(static_cast<float>(sum_of_products(matrix, part, activations)), matrix.scale[part], value);
        outputs[(group * kGroupRows + row) * kNetworkOutputs + output] = value;
      }
    }
  }
}

void embed_mlp(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) {
  for (int unit = 0; unit < table.pitch; ++unit) {
    int sum = 0;
    for (int place = 0; place < kBoardTokens; ++place) sum += table.row(tokens[place])[unit];
    out[unit] = activation(sum, rule_row[split_index(unit)], table.multiplier[split_index(unit)]);
  }
}

void embed_conv(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out) {
  constexpr int kShared = kStoreTokens + 1;
  for (int pit = 0; pit < kPitTokens; ++pit) {
    for (int unit = 0; unit < table.pitch; ++unit) {
      int sum = table.row(tokens[pit])[unit] + table.row(tokens[kPitTokens + kShared + pit])[unit];
      for (int place = kPitTokens; place < kPitTokens + kShared; ++place) sum += table.row(tokens[place])[unit];
      out[pit * table.pitch + unit] = activation(sum, rule_row[split_index(unit)], table.multiplier[split_index(unit)]);
    }
  }
}

}  // namespace wari::plain
