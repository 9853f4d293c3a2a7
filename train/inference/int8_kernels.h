#pragma once

#include <cstdint>

#include "train/inference/aligned_vector.h"
#include "train/inference/trunk.h"

namespace wari {

// A matrix of 8-bit weights, in the order the kernels read it: blocks of 16 outputs, within a block four inputs after four inputs (one 32-bit load of activations meets 16 x 4
// weights).
//
// Activations are 0..127. AVX2 multiplies and adds two neighbouring products in 16 bits with saturation, so the packer keeps, for every output, the weights that one 16-bit
// lane adds up over a span of kSpan inputs (those with input % 4 in {0, 1}, and those in {2, 3}) so small that their positive and their negative part stay below kSpanLimit:
// 127 * 258 < 32768. Then 16-bit sums of a whole span are exact, and every instruction set gives the same integers.
struct Int8Matrix {
  static constexpr int kBlock = 16;
  static constexpr int kQuad = 4;
  static constexpr int kSpan = 32;
  static constexpr int kLargestActivation = 127;
  static constexpr int kSpanLimit = 258;

  int inputs = 0;   // padded to kSpan
  int outputs = 0;  // padded to kBlock
  AlignedVector<std::int8_t> weight;  // [outputs / 16, inputs / 4, 16, 4]
  // A sum s of products becomes s * scale + bias [+ residual activation * residual_scale], in units of the output's step.
  AlignedVector<float> scale, bias, residual_scale;  // [outputs]

  Int8Matrix() = default;
  Int8Matrix(int input_count, int output_count)
      : inputs(input_count),
        outputs((output_count + kBlock - 1) / kBlock * kBlock),
        weight(static_cast<std::size_t>(inputs) * outputs),
        scale(outputs),
        bias(outputs),
        residual_scale(outputs) {}
  std::int8_t& at(int output, int input) {
    const std::size_t quad = static_cast<std::size_t>(output / kBlock) * (inputs / kQuad) + input / kQuad;
    return weight[(quad * kBlock + output % kBlock) * kQuad + input % kQuad];
  }
};

// The first layer's table: unsigned bytes above the smallest entry of their place. Two neighbouring rows of a sum are added as bytes, so the packer keeps the ranges of such a pair
// together below 256; 16-bit sums follow.
struct ByteEmbedding {
  int pitch = 0;
  AlignedVector<std::uint8_t> rows;  // [kRuleOffset, pitch]
  // Sums of even and odd units live in separate vectors: [pitch / 32, {even, odd}, 16]. (sum + rule row, at least 0) * multiplier / 2^13 is the activation.
  AlignedVector<std::int16_t> multiplier;

  const std::uint8_t* row(Token token) const { return rows.data() + static_cast<std::size_t>(token) * pitch; }
};

// Place of a unit in the 16-bit arrays of the first layer, where even and odd units lie apart.
constexpr int split_index(int unit) { return unit / 32 * 32 + unit % 2 * 16 + unit % 32 / 2; }

// Integer sums shifted left by this before the multiplication, which keeps 16 bits of the product's 31.
inline constexpr int kEmbeddingShift = 2;

// The kernels: `plain` says what they compute, the fast ones use what the processor has and give the same bits.
// A head's matrix has two rows an output, of 8 coarse and 8 fine bits: outputs[i] = sum i * scale + sum (i + 16) * scale + bias.
namespace plain {
void int8_layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual /* or null */, std::uint8_t* out);
void int8_head(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, float* outputs);
// out[unit] = activation of rule_row + sum of the kBoardTokens rows.
void embed_mlp(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out);
// out[pit, channel] = activation of rule_row + rows of stores and quiet plies + rows of the pit's count and capture.
void embed_conv(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out);
}  // namespace plain

namespace fast {
void int8_layer(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual /* or null */, std::uint8_t* out);
void int8_head(const Int8Matrix& matrix, const GroupPlan& plan, const std::uint8_t* in, float* outputs);
void embed_mlp(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out);
void embed_conv(const ByteEmbedding& table, const std::int16_t* rule_row, const Token* tokens, std::uint8_t* out);
}  // namespace fast

}  // namespace wari
