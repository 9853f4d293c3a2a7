#include <cublasLt.h>
#include <cuda_bf16.h>

#include <algorithm>

#include "core/tokens.h"
#include "cuda/blas_product.h"
#include "cuda/device.h"
#include "cuda/device_network.h"

namespace wari {
namespace {

constexpr int kChunkRows = 2048;  // rows that go through all layers together: their activations (2,048 x 12 x 4 x 128 in bfloat16: 25 MB) stay in the second-level cache

// x[row, pit] = relu(rule row + stores, quiet plies + the pit's count and capture). A thread sums eight columns of one pit.
__global__ void __launch_bounds__(kEmbedThreads) conv_embed_kernel(int rows, int width, const Token* __restrict__ tokens /* [rows, kBoardTokens] */,
                                                                   const std::uint8_t* __restrict__ rules_index /* [rows] */, const std::uint8_t* __restrict__ active /* [rows] */,
                                                                   const Half* __restrict__ embedding /* [kVocabulary, width] */, const float* __restrict__ rule_rows /* [rules, width] */,
                                                                   Half* __restrict__ x /* [rows, kPitTokens, width] */) {
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
__global__ void __launch_bounds__(kEmbedThreads) gather_kernel(int rows, int width, const Half* __restrict__ x /* [rows, kPitTokens, width] */,
                                                               Half* __restrict__ columns /* [rows, kPitTokens, kTaps, width] */) {
  const int threads_of_tap = width / kColumnsOfThread;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kEmbedThreads + threadIdx.x;
  const std::int64_t place = thread / threads_of_tap;  // row, pit and tap
  const std::int64_t row = place / (kPitTokens * kTaps);
  if (row >= rows) return;
  const auto inner = static_cast<int>(place % (kPitTokens * kTaps));
  const int column = static_cast<int>(thread % threads_of_tap) * kColumnsOfThread;
  const int from = neighbour(inner / kTaps, inner % kTaps);
  *reinterpret_cast<uint4*>(columns + place * width + column) = *reinterpret_cast<const uint4*>(x + (row * kPitTokens + from) * width + column);
}

class DeviceConvEvaluator final : public Evaluator {
 public:
  DeviceConvEvaluator(std::shared_ptr<const DeviceWeights> network, int rows) : network_(std::move(network)), rows_(rows), chunk_(std::min(rows, kChunkRows)), workspace_(kWorkspaceBytes, "cuBLASLt's workspace", Contents::unset) {
    const std::size_t activations = static_cast<std::size_t>(chunk_) * kPitTokens * static_cast<std::size_t>(network_->width);
    for (DeviceArray<Half>* array : {&x_, &y_}) *array = DeviceArray<Half>(activations, "activations", Contents::unset);
    columns_ = DeviceArray<Half>(activations * kTaps, "gathered neighbours", Contents::unset);
    cublasLtHandle_t blas = nullptr;
    check_blas(cublasLtCreate(&blas), "starting cuBLASLt");
    blas_.reset(blas);
    full_ = shapes(chunk_);
    if (rows_ % chunk_ != 0) rest_ = shapes(rows_ % chunk_);
  }

  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    if (batch.rows != rows_) throw system_error("the network on the GPU was made for " + std::to_string(rows_) + " rows and got " + std::to_string(batch.rows) + ": report this as a fault");
    for (int first = 0; first < rows_; first += chunk_) {
      const int rows = std::min(chunk_, rows_ - first);
      evaluate_chunk(batch, first, rows, rows == chunk_ ? full_ : rest_, outputs + static_cast<std::ptrdiff_t>(first) * kOutputs);
    }
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceConvEvaluator>(network_, rows_); }

 private:
  // The products for one number of rows.
  struct Shapes {
    std::unique_ptr<Product> layer, head;
  };

  Shapes shapes(int rows) const {
    const int width = network_->width;
    return {std::make_unique<Product>(blas_.get(), rows * kPitTokens, kTaps * width, width, true, CUDA_R_16BF),
            std::make_unique<Product>(blas_.get(), rows, kPitTokens * width, kOutputs, false, CUDA_R_32F)};
  }

  void evaluate_chunk(const EvaluationBatch& batch, int first, int rows, Shapes& shapes, float* outputs) {
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    const DeviceWeights& n = *network_;
    const std::int64_t threads = static_cast<std::int64_t>(rows) * kPitTokens * (n.width / kColumnsOfThread);
    conv_embed_kernel<<<embed_blocks(threads), kEmbedThreads, 0, stream>>>(rows, n.width, batch.board_tokens + static_cast<std::ptrdiff_t>(first) * kBoardTokens, batch.rules_index + first,
                                                                           batch.active + first, n.embedding.data(), n.rule_rows.data(), x_.data());
    check_cuda(cudaGetLastError(), "starting the first layer");
    for (int layer = 0; layer < n.layers; layer += 2) {
      convolve(layer, rows, shapes, x_.data(), y_.data(), nullptr, stream);
      convolve(layer + 1, rows, shapes, y_.data(), x_.data(), x_.data(), stream);  // in place: each output is read where it is written
    }
    shapes.head->run(blas_.get(), n.head_weight.data(), n.head_bias.data(), x_.data(), outputs, workspace_.data(), stream);
  }

  void convolve(int layer, int rows, Shapes& shapes, const Half* from, Half* to, const Half* residual, cudaStream_t stream) {
    const DeviceWeights& n = *network_;
    const std::int64_t threads = static_cast<std::int64_t>(rows) * kPitTokens * kTaps * (n.width / kColumnsOfThread);
    gather_kernel<<<embed_blocks(threads), kEmbedThreads, 0, stream>>>(rows, n.width, from, columns_.data());
    check_cuda(cudaGetLastError(), "gathering neighbours");
    const auto width = static_cast<std::size_t>(n.width);
    const auto index = static_cast<std::size_t>(layer);
    shapes.layer->run(blas_.get(), n.weight.data() + index * width * kTaps * width, n.bias.data() + index * width, columns_.data(), to, workspace_.data(), stream, residual);
  }

  std::shared_ptr<const DeviceWeights> network_;
  int rows_, chunk_;
  DeviceArray<Half> x_, y_;              // [chunk, kPitTokens, width]
  DeviceArray<Half> columns_;            // [chunk, kPitTokens, kTaps, width]
  DeviceArray<std::uint8_t> workspace_;  // [kWorkspaceBytes]
  Owned<cublasLtHandle_t, cublasLtDestroy> blas_;
  Shapes full_, rest_;                   // of a whole chunk; of the last one where it is shorter
};

}  // namespace

std::unique_ptr<Evaluator> make_device_conv_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows) {
  require_device();
  return std::make_unique<DeviceConvEvaluator>(std::make_shared<const DeviceWeights>(fold_conv(weights, rules)), rows);
}

}  // namespace wari
