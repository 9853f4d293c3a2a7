#pragma once

#include "train/inference/aligned_vector.h"
#include "train/inference/trunk.h"

namespace wari {

// A matrix with bias, in the order the kernels read it: blocks of 16 outputs, within a block input after input.
struct FloatMatrix {
  static constexpr int kBlock = 16;

  int inputs = 0;   // padded
  int outputs = 0;  // padded to kBlock
  AlignedVector<float> weight;  // [outputs / 16, inputs, 16]
  AlignedVector<float> bias;    // [outputs]

  FloatMatrix() = default;
  FloatMatrix(int input_count, int output_count)
      : inputs(input_count), outputs((output_count + kBlock - 1) / kBlock * kBlock), weight(static_cast<std::size_t>(inputs) * outputs), bias(outputs) {}
  float& at(int output, int input) { return weight[(static_cast<std::size_t>(output / kBlock) * inputs + input) * kBlock + output % kBlock]; }
};

// out = relu(bias + weight * in [+ residual]); every sum runs over the inputs in order, by fused multiply-adds, whatever the vector width. So a row's result depends on
// neither its place nor the instruction set.
void float_layer(const FloatMatrix& matrix, const GroupPlan& plan, const float* in, const float* residual /* or null */, float* out);
// outputs[row] = bias + weight * in, rows of kNetworkOutputs.
void float_head(const FloatMatrix& matrix, const GroupPlan& plan, const float* in, float* outputs);
// sum[i] += row[i] for each of the rows.
void add_rows(const float* const* rows, int row_count, int width, float* sum);

}  // namespace wari
