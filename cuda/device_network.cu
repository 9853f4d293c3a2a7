#include "cuda/device_network.h"

#include <cublasLt.h>
#include <cuda_bf16.h>

#include <chrono>

#include "core/tokens.h"
#include "cuda/blas_product.h"
#include "cuda/device.h"

namespace wari {
namespace {

// x[row] = relu(rule row + sum of the embedding's rows that the row's tokens name). A thread sums eight columns of one row.
__global__ void __launch_bounds__(kEmbedThreads) embed_kernel(int rows, int width, const Token* __restrict__ tokens /* [rows, kBoardTokens] */, const std::uint8_t* __restrict__ rules_index /* [rows] */,
                                                              const std::uint8_t* __restrict__ active /* [rows] */, const Half* __restrict__ embedding /* [kVocabulary, width] */,
                                                              const float* __restrict__ rule_rows /* [rules, width] */, Half* __restrict__ x /* [rows, width] */) {
  const int threads_of_row = width / kColumnsOfThread;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kEmbedThreads + threadIdx.x;
  const auto row = static_cast<int>(thread / threads_of_row);
  if (row >= rows) return;
  const int column = static_cast<int>(thread % threads_of_row) * kColumnsOfThread;
  float sum[kColumnsOfThread] = {};
  if (active[row] != 0) {  // an idle row is padding, and its tokens mean nothing
    load_columns(rule_rows + static_cast<std::int64_t>(rules_index[row]) * width + column, sum);
    const Token* const own = tokens + static_cast<std::int64_t>(row) * kBoardTokens;
#pragma unroll
    for (int place = 0; place < kBoardTokens; ++place) add_columns(embedding + static_cast<std::int64_t>(own[place]) * width + column, sum);
  }
  store_relu(sum, x + static_cast<std::int64_t>(row) * width + column);
}

class DeviceMlpEvaluator final : public Evaluator {
 public:
  DeviceMlpEvaluator(std::shared_ptr<const DeviceWeights> network, int rows)
      : network_(std::move(network)), rows_(rows), x_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(network_->width), "activations", Contents::unset), y_(x_.size(), "activations", Contents::unset), workspace_(kWorkspaceBytes, "cuBLASLt's workspace", Contents::unset) {
    cublasLtHandle_t blas = nullptr;
    check_blas(cublasLtCreate(&blas), "starting cuBLASLt");
    blas_.reset(blas);
    layer_ = std::make_unique<Product>(blas, rows, network_->width, network_->width, true, CUDA_R_16BF);
    head_ = std::make_unique<Product>(blas, rows, network_->width, kOutputs, false, CUDA_R_32F);
  }

  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    if (batch.rows != rows_) throw system_error("the network on the GPU was made for " + std::to_string(rows_) + " rows and got " + std::to_string(batch.rows) + ": report this as a fault");
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    const DeviceWeights& n = *network_;
    const auto width = static_cast<std::size_t>(n.width);
    const std::int64_t threads = static_cast<std::int64_t>(rows_) * (n.width / kColumnsOfThread);
    embed_kernel<<<embed_blocks(threads), kEmbedThreads, 0, stream>>>(rows_, n.width, batch.board_tokens, batch.rules_index, batch.active, n.embedding.data(),
                                                                                                                     n.rule_rows.data(), x_.data());
    check_cuda(cudaGetLastError(), "starting the first layer");
    Half* x = x_.data();
    Half* y = y_.data();
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(n.layers); ++layer) {
      layer_->run(blas_.get(), n.weight.data() + layer * width * width, n.bias.data() + layer * width, x, y, workspace_.data(), stream);
      std::swap(x, y);
    }
    head_->run(blas_.get(), n.head_weight.data(), n.head_bias.data(), x, outputs, workspace_.data(), stream);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceMlpEvaluator>(network_, rows_); }

 private:
  std::shared_ptr<const DeviceWeights> network_;
  int rows_;
  DeviceArray<Half> x_, y_;              // [rows, width]
  DeviceArray<std::uint8_t> workspace_;  // [kWorkspaceBytes]
  Owned<cublasLtHandle_t, cublasLtDestroy> blas_;
  std::unique_ptr<Product> layer_, head_;
};

}  // namespace

std::unique_ptr<Evaluator> make_device_mlp_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows) {
  require_device();
  return std::make_unique<DeviceMlpEvaluator>(std::make_shared<const DeviceWeights>(fold_mlp(weights, rules)), rows);
}

std::vector<float> evaluate_on_device(Evaluator& evaluator, std::span<const Token> tokens, std::span<const std::uint8_t> rules_index, std::span<const std::uint8_t> active) {
  require_device();
  const DeviceArray<Token> device_tokens(tokens.size());
  const DeviceArray<std::uint8_t> device_rules(rules_index.size()), device_active(active.size());
  const DeviceArray<float> outputs(active.size() * kOutputs);
  device_tokens.write(tokens);
  device_rules.write(rules_index);
  device_active.write(active);
  EvaluationBatch batch;
  batch.rows = static_cast<int>(active.size());
  batch.board_tokens = device_tokens.data();
  batch.rules_index = device_rules.data();
  batch.active = device_active.data();
  evaluator.evaluate(batch, outputs.data());
  check_cuda(cudaStreamSynchronize(nullptr), "evaluating a batch");
  return outputs.read();
}

double device_evaluations_per_second(Evaluator& evaluator, int rows, double seconds) {
  require_device();
  const auto count = static_cast<std::size_t>(rows);
  const DeviceArray<Token> tokens(count * kBoardTokens);
  const DeviceArray<std::uint8_t> rules(count), active(count);
  const DeviceArray<float> outputs(count * kOutputs);
  active.write(std::vector<std::uint8_t>(count, 1));
  // Tokens of different rows: equal ones would be read from the nearest cache.
  std::vector<Token> mixed(count * kBoardTokens);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = static_cast<Token>((i * 2654435761u >> 7) % kVocabulary);
  tokens.write(mixed);
  EvaluationBatch batch;
  batch.rows = rows;
  batch.board_tokens = tokens.data();
  batch.rules_index = rules.data();
  batch.active = active.data();
  constexpr int kBatches = 64;  // between two looks at the clock
  std::int64_t evaluated = -kBatches;  // the first ones only warm up
  auto start = std::chrono::steady_clock::now();
  double passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < kBatches; ++i) evaluator.evaluate(batch, outputs.data());
    check_cuda(cudaStreamSynchronize(nullptr), "evaluating batches");
    if (evaluated < 0) start = std::chrono::steady_clock::now();
    evaluated += kBatches;
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return static_cast<double>(evaluated) * rows / passed;
}

}  // namespace wari
