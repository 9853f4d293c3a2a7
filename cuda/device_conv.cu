#include <cublasLt.h>
#include <cuda_bf16.h>

#include <algorithm>
#include <optional>

#include "core/tokens.h"
#include "cuda/blas_product.h"
#include "cuda/device.h"
#include "cuda/device_network.h"
#include "cuda/image_of.h"
#include "cuda/switches.h"

namespace wari {
namespace {

// x[row, pit] = relu(rule row + stores, quiet plies + the pit's count and capture). A thread sums eight columns of one pit.
template <class T>
__global__ void __launch_bounds__(kEmbedThreads) conv_embed_kernel(int rows, int width, const Token* __restrict__ tokens /* [rows, kBoardTokens] */,
                                                                   const std::uint8_t* __restrict__ rules_index /* [rows] */, const std::uint8_t* __restrict__ active /* [rows] */,
                                                                   const T* __restrict__ embedding /* [kVocabulary, width] */, const float* __restrict__ rule_rows /* [rules, width] */,
                                                                   T* __restrict__ x /* [rows, kPitTokens, width] */) {
  const int threads_of_pit = width / kColumnsOfThread;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kEmbedThreads + threadIdx.x;
  const std::int64_t place = thread / threads_of_pit;  // row and pit
  const auto row = static_cast<int>(place / kPitTokens);
  if (row >= rows) return;
  const auto pit = static_cast<int>(place % kPitTokens);
  const int column = static_cast<int>(thread % threads_of_pit) * kColumnsOfThread;
  float sum[kColumnsOfThread] = {};
  if (active[row] != 0) {
    load_columns(rule_rows + static_cast<std::int64_t>(rules_index[row]) * width + column, sum);
    const Token* const own = tokens + static_cast<std::int64_t>(row) * kBoardTokens;
#pragma unroll
    for (int i = 0; i < kConvTokens; ++i) add_columns(embedding + static_cast<std::int64_t>(own[conv_token(pit, i)]) * width + column, sum);
  }
  store_relu(sum, x + place * width + column);
}

// columns[row, pit, tap] = x[row, pit's neighbour]. A thread copies eight columns.
template <class T>
__global__ void __launch_bounds__(kEmbedThreads) gather_kernel(int rows, int width, const T* __restrict__ x /* [rows, kPitTokens, width] */,
                                                               T* __restrict__ columns /* [rows, kPitTokens, kTaps, width] */) {
  const int threads_of_tap = width / kColumnsOfThread;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kEmbedThreads + threadIdx.x;
  const std::int64_t place = thread / threads_of_tap;  // row, pit and tap
  const std::int64_t row = place / (kPitTokens * kTaps);
  if (row >= rows) return;
  const auto inner = static_cast<int>(place % (kPitTokens * kTaps));
  const int column = static_cast<int>(thread % threads_of_tap) * kColumnsOfThread;
  const int from = neighbour(inner / kTaps, inner % kTaps);
  const auto* const source = reinterpret_cast<const uint4*>(x + (row * kPitTokens + from) * width + column);
  auto* const target = reinterpret_cast<uint4*>(columns + place * width + column);
#pragma unroll
  for (std::size_t i = 0; i < kColumnsOfThread * sizeof(T) / sizeof(uint4); ++i) target[i] = source[i];
}

template <class T>
class DeviceConvEvaluator final : public Evaluator {
 public:
  DeviceConvEvaluator(const DeviceWeights<T>& network, int rows) : network_(network), rows_(rows) {}

  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    if (batch.rows != rows_) throw system_error("the network on the GPU was made for " + std::to_string(rows_) + " rows and got " + std::to_string(batch.rows) + ": report this as a fault");
    if (!scratch_) scratch_.emplace(network_.width, rows_);
    const int chunk = std::min(rows_, kChunkRows);
    for (int first = 0; first < rows_; first += chunk) {
      const int rows = std::min(chunk, rows_ - first);
      evaluate_chunk(batch, first, rows, rows == chunk ? scratch_->full : *scratch_->rest, outputs + static_cast<std::ptrdiff_t>(first) * kOutputs);
    }
  }

  bool take_weights(const Evaluator& other) override {
    const auto* const same = dynamic_cast<const DeviceConvEvaluator*>(&other);
    if (same == nullptr || same->rows_ != rows_ || !same->network_.is_shaped_as(network_)) return false;
    network_.take(same->network_);
    return true;
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceConvEvaluator>(network_, rows_); }

 private:
  // The products for one number of rows.
  struct Shapes {
    Shapes(cublasLtHandle_t blas, int width, int rows)
        : layer(blas, rows * kPitTokens, kTaps * width, width, true, kDataType<T>, kDataType<T>), head(blas, rows, kPitTokens * width, kOutputs, false, kDataType<T>, CUDA_R_32F) {}
    Product layer, head;
  };

  // Made by the first batch: an evaluator that only brings weights to another needs none.
  struct Scratch {
    Scratch(int width, int rows)
        : x(conv_activations(rows, width), "activations", Contents::unset),
          y(x.size(), "activations", Contents::unset),
          columns(x.size() * kTaps, "gathered neighbours", Contents::unset),
          workspace(kWorkspaceBytes, "cuBLASLt's workspace", Contents::unset),
          blas(new_blas()),
          full(blas.get(), width, std::min(rows, kChunkRows)) {
      if (rows > kChunkRows && rows % kChunkRows != 0) rest.emplace(blas.get(), width, rows % kChunkRows);
    }
    DeviceArray<T> x, y;                  // [chunk, kPitTokens, width]
    DeviceArray<T> columns;               // [chunk, kPitTokens, kTaps, width]
    DeviceArray<std::uint8_t> workspace;  // [kWorkspaceBytes]
    Owned<cublasLtHandle_t, cublasLtDestroy> blas;
    Shapes full;                          // of a whole chunk
    std::optional<Shapes> rest;           // of the last one where it is shorter
  };

  void evaluate_chunk(const EvaluationBatch& batch, int first, int rows, Shapes& shapes, float* outputs) {
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    const DeviceWeights<T>& n = network_;
    Scratch& s = *scratch_;
    const std::int64_t threads = static_cast<std::int64_t>(rows) * kPitTokens * (n.width / kColumnsOfThread);
    conv_embed_kernel<<<blocks_for(threads, kEmbedThreads), kEmbedThreads, 0, stream>>>(rows, n.width, batch.board_tokens + static_cast<std::ptrdiff_t>(first) * kBoardTokens, batch.rules_index + first,
                                                                           batch.active + first, n.embedding.data(), n.rule_rows.data(), s.x.data());
    check_cuda(cudaGetLastError(), "starting the first layer");
    for (int layer = 0; layer < n.layers; layer += 2) {
      convolve(layer, rows, shapes, s.x.data(), s.y.data(), nullptr, stream);
      convolve(layer + 1, rows, shapes, s.y.data(), s.x.data(), s.x.data(), stream);  // in place: each output is read where it is written
    }
    shapes.head.run(s.blas.get(), n.head_weight.data(), n.head_bias.data(), s.x.data(), outputs, s.workspace.data(), stream);
  }

  void convolve(int layer, int rows, Shapes& shapes, const T* from, T* to, const T* residual, cudaStream_t stream) {
    const DeviceWeights<T>& n = network_;
    Scratch& s = *scratch_;
    const std::int64_t threads = static_cast<std::int64_t>(rows) * kPitTokens * kTaps * (n.width / kColumnsOfThread);
    gather_kernel<<<blocks_for(threads, kEmbedThreads), kEmbedThreads, 0, stream>>>(rows, n.width, from, s.columns.data());
    check_cuda(cudaGetLastError(), "gathering neighbours");
    const auto width = static_cast<std::size_t>(n.width);
    const auto index = static_cast<std::size_t>(layer);
    shapes.layer.run(s.blas.get(), n.weight.data() + index * width * kTaps * width, n.bias.data() + index * width, s.columns.data(), to, s.workspace.data(), stream, residual);
  }

  DeviceWeights<T> network_;
  int rows_;
  std::optional<Scratch> scratch_;
};

}  // namespace

void add_conv_images(std::vector<KernelImage>& images) {
  images.push_back(image_of("first layer of conv", conv_embed_kernel<Half>));
  images.push_back(image_of("first layer of conv, float32", conv_embed_kernel<float>));
  images.push_back(image_of("neighbours of conv", gather_kernel<Half>));
  images.push_back(image_of("neighbours of conv, float32", gather_kernel<float>));
}

std::unique_ptr<Evaluator> make_device_conv_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows, DevicePrecision precision) {
  require_device();
  const FoldedWeights folded = fold_conv(weights, rules);
  if (precision == DevicePrecision::float32 || cuda_switches().float32) return std::make_unique<DeviceConvEvaluator<float>>(DeviceWeights<float>(folded), rows);
  return std::make_unique<DeviceConvEvaluator<Half>>(DeviceWeights<Half>(folded), rows);
}

}  // namespace wari
