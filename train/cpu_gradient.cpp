#include "train/cpu_gradient.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>

#include "train/first_layer.h"
#include "train/inference/aligned_vector.h"

namespace wari {

namespace {

constexpr int kChunk = 256;  // samples; their activations (256 x 256 floats a layer) fit the second-level cache

// A matrix in somebody's buffer, row-major.
at::Tensor matrix(const float* data, std::int64_t rows, std::int64_t columns) {
  return at::from_blob(const_cast<float*>(data), {rows, columns}, at::TensorOptions().dtype(at::kFloat));
}

// out = a b, or out += a b.
void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  at::Tensor result = out;
  at::mm_out(result, a, b);
}
void multiply_add(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  at::Tensor result = out;
  at::addmm_out(result, out, a, b);
}

// Every row becomes the bias (plus the residual): the product is added to that, which saves it the clearing of its output.
void start_with_bias(float* x, const float* bias, const float* residual, std::int64_t rows, int width) {
  for (std::int64_t row = 0; row < rows; ++row, x += width) {
    if (residual == nullptr) {
      std::copy_n(bias, width, x);
    } else {
      for (int i = 0; i < width; ++i) x[i] = bias[i] + residual[i];
      residual += width;
    }
  }
}

void relu(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = std::max(x[i], 0.0f);
}

// Where the activation was 0 the gradient becomes 0; what is left of it is summed into the bias's gradient.
void relu_backward(float* gradient, const float* activation, float* bias_gradient, std::int64_t rows, int width) {
  for (std::int64_t row = 0; row < rows; ++row, gradient += width, activation += width) {
    for (int i = 0; i < width; ++i) {
      const float kept = activation[i] > 0 ? gradient[i] : 0.0f;
      gradient[i] = kept;
      bias_gradient[i] += kept;
    }
  }
}

void sum_rows(const float* x, float* sum, std::int64_t rows, int width) {
  for (std::int64_t row = 0; row < rows; ++row, x += width) {
    for (int i = 0; i < width; ++i) sum[i] += x[i];
  }
}

// Each pit beside its two neighbours in the circle: [rows, 12, width] to [rows, 12, 3, width].
void gather_neighbours(const float* x, float* columns, std::int64_t rows, int width) {
  for (std::int64_t row = 0; row < rows; ++row, x += static_cast<std::ptrdiff_t>(kPitTokens) * width) {
    for (int pit = 0; pit < kPitTokens; ++pit) {
      for (int tap = 0; tap < 3; ++tap, columns += width) {
        std::memcpy(columns, x + static_cast<std::ptrdiff_t>((pit + tap + kPitTokens - 1) % kPitTokens) * width, static_cast<std::size_t>(width) * sizeof(float));
      }
    }
  }
}

// The other way: every neighbour's gradient is added to its pit.
void scatter_neighbours(const float* columns, float* x, std::int64_t rows, int width) {
  for (std::int64_t row = 0; row < rows; ++row, x += static_cast<std::ptrdiff_t>(kPitTokens) * width) {
    for (int pit = 0; pit < kPitTokens; ++pit) {
      for (int tap = 0; tap < 3; ++tap, columns += width) {
        float* to = x + static_cast<std::ptrdiff_t>((pit + tap + kPitTokens - 1) % kPitTokens) * width;
        for (int i = 0; i < width; ++i) to[i] += columns[i];
      }
    }
  }
}

}  // namespace

struct CpuGradient::Parts {
  Parts(const NetworkLayout& network_layout, const TrainerSettings& trainer_settings)
      : layout(network_layout), settings(trainer_settings), first(layout, kChunk), width(layout.settings().width), positions(layout.positions()) {
    const auto floats = [](std::int64_t count) { return AlignedVector<float>(static_cast<std::size_t>(count)); };
    const std::int64_t rows = static_cast<std::int64_t>(kChunk) * positions;
    gradient = floats(layout.size());
    for (int layer = 0; layer <= layout.layers(); ++layer) activations.push_back(floats(rows * width));
    upper = floats(rows * width);
    lower = floats(rows * width);
    outputs = floats(static_cast<std::int64_t>(kChunk) * kHeadOutputs);
    if (is_conv()) {
      columns = floats(rows * 3 * width);
    } else {
      folded = floats(static_cast<std::int64_t>(layout.layers()) * width * width);
    }
  }

  bool is_conv() const { return layout.settings().kind == TrunkKind::conv; }
  at::Tensor weight(const float* base, int layer) const { return matrix(base + layout.layer_weight(layer), width, layout.layer_inputs()); }
  at::Tensor folded_weight(int layer) const { return matrix(folded.data() + static_cast<std::ptrdiff_t>(layer) * width * width, width, width); }

  void chunk(std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report);
  void fold_identity();
  void forward(std::int64_t samples);
  void losses(std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report);
  void head_backward(std::int64_t samples);
  void mlp_backward(std::int64_t samples);
  void conv_backward(std::int64_t samples);
  void conv_layer_backward(int layer, float* above, float* below, std::int64_t rows);

  NetworkLayout layout;
  TrainerSettings settings;
  FirstLayer first;
  int width, positions;
  const float* weights = nullptr;                   // [layout.size()]
  AlignedVector<float> gradient;                    // [layout.size()]
  AlignedVector<float> folded;                      // [layers, width, width]: W + 1 of each block, so that the residual is part of the product (mlp)
  std::vector<AlignedVector<float>> activations;    // [layers + 1][chunk, positions, width]
  AlignedVector<float> columns;                     // [chunk, positions, 3, width] (conv)
  AlignedVector<float> upper, lower;                // [chunk, positions, width]: gradients above and below a layer
  AlignedVector<float> outputs;                     // [chunk, kHeadOutputs]: outputs, then their gradient
};

void CpuGradient::Parts::fold_identity() {
  for (int layer = 0; layer < layout.layers(); ++layer) {
    float* out = folded.data() + static_cast<std::ptrdiff_t>(layer) * width * width;
    std::copy_n(weights + layout.layer_weight(layer), static_cast<std::ptrdiff_t>(width) * width, out);
    for (int i = 0; i < width; ++i) out[static_cast<std::ptrdiff_t>(i) * (width + 1)] += 1.0f;
  }
}

void CpuGradient::Parts::forward(std::int64_t samples) {
  const std::int64_t rows = samples * positions;
  for (int layer = 0; layer < layout.layers(); ++layer) {
    const auto index = static_cast<std::size_t>(layer);
    const float* in = activations[index].data();
    float* out = activations[index + 1].data();
    start_with_bias(out, weights + layout.layer_bias(layer), is_conv() && layer % 2 == 1 ? activations[index - 1].data() : nullptr, rows, width);
    if (is_conv()) {
      gather_neighbours(in, columns.data(), samples, width);
      multiply_add(matrix(out, rows, width), matrix(columns.data(), rows, 3 * width), weight(weights, layer).t());
    } else {
      multiply_add(matrix(out, rows, width), matrix(in, rows, width), folded_weight(layer).t());
    }
    relu(out, rows * width);
  }
  const at::Tensor head = matrix(weights + layout.head_weight(), kHeadOutputs, layout.features());
  start_with_bias(outputs.data(), weights + layout.head_bias(), nullptr, samples, kHeadOutputs);
  multiply_add(matrix(outputs.data(), samples, kHeadOutputs), matrix(activations.back().data(), samples, layout.features()), head.t());
}

void CpuGradient::Parts::losses(std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report) {
  float* row = outputs.data();
  for (const Sample& sample : samples) {
    sample_loss(settings, sample, rules[sample.rules_index].total_seeds(), scale, row, report);
    row += kHeadOutputs;
  }
}

void CpuGradient::Parts::head_backward(std::int64_t samples) {
  const std::int64_t features = layout.features();
  const at::Tensor out = matrix(outputs.data(), samples, kHeadOutputs);
  multiply_add(matrix(gradient.data() + layout.head_weight(), kHeadOutputs, features), out.t(), matrix(activations.back().data(), samples, features));
  sum_rows(outputs.data(), gradient.data() + layout.head_bias(), samples, kHeadOutputs);
  multiply(matrix(upper.data(), samples, features), out, matrix(weights + layout.head_weight(), kHeadOutputs, features));
}

void CpuGradient::Parts::mlp_backward(std::int64_t samples) {
  for (int layer = layout.layers() - 1; layer >= 0; --layer) {
    const auto index = static_cast<std::size_t>(layer);
    relu_backward(upper.data(), activations[index + 1].data(), gradient.data() + layout.layer_bias(layer), samples, width);
    const at::Tensor above = matrix(upper.data(), samples, width);
    multiply_add(weight(gradient.data(), layer), above.t(), matrix(activations[index].data(), samples, width));
    multiply(matrix(lower.data(), samples, width), above, folded_weight(layer));
    std::swap(upper, lower);
  }
}

// `above`: gradient before the layer's ReLU; adds the layer's weight gradient and the gradient of its inputs to `below`.
void CpuGradient::Parts::conv_layer_backward(int layer, float* above, float* below, std::int64_t rows) {
  gather_neighbours(activations[static_cast<std::size_t>(layer)].data(), columns.data(), rows / positions, width);
  const at::Tensor gradients = matrix(above, rows, width), neighbours = matrix(columns.data(), rows, 3 * width);
  multiply_add(weight(gradient.data(), layer), gradients.t(), neighbours);
  multiply(neighbours, gradients, weight(weights, layer));
  scatter_neighbours(columns.data(), below, rows / positions, width);
}

void CpuGradient::Parts::conv_backward(std::int64_t samples) {
  const std::int64_t rows = samples * positions;
  const auto values = static_cast<std::size_t>(rows * width);
  for (int layer = layout.layers() - 1; layer >= 1; layer -= 2) {
    const auto index = static_cast<std::size_t>(layer);
    relu_backward(upper.data(), activations[index + 1].data(), gradient.data() + layout.layer_bias(layer), rows, width);
    std::fill_n(lower.data(), values, 0.0f);
    conv_layer_backward(layer, upper.data(), lower.data(), rows);
    relu_backward(lower.data(), activations[index].data(), gradient.data() + layout.layer_bias(layer - 1), rows, width);
    conv_layer_backward(layer - 1, lower.data(), upper.data(), rows);  // upper holds the residual's part already
  }
}

void CpuGradient::Parts::chunk(std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report) {
  const auto count = static_cast<std::int64_t>(samples.size());
  first.forward(weights, samples, rules, activations.front().data());
  forward(count);
  losses(samples, rules, scale, report);
  head_backward(count);
  if (is_conv()) {
    conv_backward(count);
  } else {
    mlp_backward(count);
  }
  first.backward(samples, activations.front().data(), upper.data(), gradient.data());
}

CpuGradient::CpuGradient(const NetworkLayout& layout, const TrainerSettings& settings) : parts_(std::make_unique<Parts>(layout, settings)) {}
CpuGradient::~CpuGradient() = default;
CpuGradient::CpuGradient(CpuGradient&&) noexcept = default;
CpuGradient& CpuGradient::operator=(CpuGradient&&) noexcept = default;

void CpuGradient::run(const float* weights, std::span<const Sample> samples, std::span<const Rules> rules, float scale, TrainReport& report) {
  const c10::InferenceMode no_autograd;
  parts_->weights = weights;
  std::fill(parts_->gradient.begin(), parts_->gradient.end(), 0.0f);
  if (!parts_->is_conv()) parts_->fold_identity();
  parts_->first.begin(weights, rules);
  for (std::size_t begin = 0; begin < samples.size(); begin += kChunk) {
    parts_->chunk(samples.subspan(begin, std::min<std::size_t>(kChunk, samples.size() - begin)), rules, scale, report);
  }
  parts_->first.end(rules, parts_->gradient.data());
}

std::span<const float> CpuGradient::gradient() const { return parts_->gradient; }

}  // namespace wari
