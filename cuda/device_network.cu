#include "cuda/device_network.h"

#include <cublasLt.h>
#include <cuda_bf16.h>

#include <chrono>
#include <optional>

#include "core/tokens.h"
#include "cuda/blas_product.h"
#include "cuda/cuda_executor.h"
#include "cuda/device.h"
#include "cuda/image_of.h"
#include "cuda/switches.h"

namespace wari {

void add_conv_images(std::vector<KernelImage>& images);  // device_conv.cu

namespace {

// x[row] = relu(rule row + sum of the embedding's rows that the row's tokens name). A thread sums eight columns of one row.
template <class T>
__global__ void __launch_bounds__(kEmbedThreads) embed_kernel(int rows, int width, const Token* __restrict__ tokens /* [rows, kBoardTokens] */, const std::uint8_t* __restrict__ rules_index /* [rows] */,
                                                              const std::uint8_t* __restrict__ active /* [rows] */, const T* __restrict__ embedding /* [kVocabulary, width] */,
                                                              const float* __restrict__ rule_rows /* [rules, width] */, T* __restrict__ x /* [rows, width] */) {
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

template <class T>
class DeviceMlpEvaluator final : public Evaluator {
 public:
  DeviceMlpEvaluator(const DeviceWeights<T>& network, int rows) : network_(network), rows_(rows) {}

  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    if (batch.rows != rows_) throw system_error("the network on the GPU was made for " + std::to_string(rows_) + " rows and got " + std::to_string(batch.rows) + ": report this as a fault");
    if (!scratch_) scratch_.emplace(network_.width, rows_);
    Scratch& s = *scratch_;
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    const DeviceWeights<T>& n = network_;
    const auto width = static_cast<std::size_t>(n.width);
    const std::int64_t threads = static_cast<std::int64_t>(rows_) * (n.width / kColumnsOfThread);
    embed_kernel<<<blocks_for(threads, kEmbedThreads), kEmbedThreads, 0, stream>>>(rows_, n.width, batch.board_tokens, batch.rules_index, batch.active, n.embedding.data(), n.rule_rows.data(), s.x.data());
    check_cuda(cudaGetLastError(), "starting the first layer");
    T* x = s.x.data();
    T* y = s.y.data();
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(n.layers); ++layer) {
      s.layer.run(s.blas.get(), n.weight.data() + layer * width * width, n.bias.data() + layer * width, x, y, s.workspace.data(), stream);
      std::swap(x, y);
    }
    s.head.run(s.blas.get(), n.head_weight.data(), n.head_bias.data(), x, outputs, s.workspace.data(), stream);
  }

  bool take_weights(const Evaluator& other) override {
    const auto* const same = dynamic_cast<const DeviceMlpEvaluator*>(&other);
    if (same == nullptr || same->rows_ != rows_ || !same->network_.is_shaped_as(network_)) return false;
    network_.take(same->network_);
    return true;
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceMlpEvaluator>(network_, rows_); }

 private:
  // Made by the first batch: an evaluator that only brings weights to another needs none.
  struct Scratch {
    Scratch(int width, int rows)
        : x(mlp_activations(rows, width), "activations", Contents::unset),
          y(x.size(), "activations", Contents::unset),
          workspace(kWorkspaceBytes, "cuBLASLt's workspace", Contents::unset),
          blas(new_blas()),
          layer(blas.get(), rows, width, width, true, kDataType<T>, kDataType<T>),
          head(blas.get(), rows, width, kOutputs, false, kDataType<T>, CUDA_R_32F) {}
    DeviceArray<T> x, y;                  // [rows, width]
    DeviceArray<std::uint8_t> workspace;  // [kWorkspaceBytes]
    Owned<cublasLtHandle_t, cublasLtDestroy> blas;
    Product layer, head;
  };

  DeviceWeights<T> network_;
  int rows_;
  std::optional<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<Evaluator> make_device_mlp_evaluator(const LayeredWeights& weights, std::span<const Rules> rules, int rows, DevicePrecision precision) {
  require_device();
  const FoldedWeights folded = fold_mlp(weights, rules);
  if (precision == DevicePrecision::float32 || cuda_switches().float32) return std::make_unique<DeviceMlpEvaluator<float>>(DeviceWeights<float>(folded), rows);
  return std::make_unique<DeviceMlpEvaluator<Half>>(DeviceWeights<Half>(folded), rows);
}

std::vector<KernelImage> network_kernel_images() {
  std::vector<KernelImage> images;
  if (devices().empty()) return images;
  images.push_back(image_of("first layer", embed_kernel<Half>));
  images.push_back(image_of("first layer, float32", embed_kernel<float>));
  add_conv_images(images);
  return images;
}

std::vector<float> multiply_on_device(std::span<const float> x, std::span<const float> weight, std::span<const float> bias, int rows, int inputs, int outputs) {
  require_device();
  const auto upload = [](std::span<const float> values) { return uploaded(converted<Half>({values.begin(), values.end()})); };
  const DeviceArray<Half> device_x = upload(x), device_weight = upload(weight);
  const DeviceArray<float> device_bias = uploaded(std::vector<float>(bias.begin(), bias.end()));
  const DeviceArray<float> y(static_cast<std::size_t>(rows) * static_cast<std::size_t>(outputs), "product", Contents::unset);
  const DeviceArray<std::uint8_t> workspace(kWorkspaceBytes, "cuBLASLt's workspace", Contents::unset);
  const auto blas = new_blas();
  Product product(blas.get(), rows, inputs, outputs, false, CUDA_R_16BF, CUDA_R_32F);
  product.run(blas.get(), device_weight.data(), device_bias.data(), device_x.data(), y.data(), workspace.data(), nullptr);
  check_cuda(cudaStreamSynchronize(nullptr), "multiplying");
  return y.read();
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
  const CudaExecutor executor;  // batches follow one another as in self-play: in graphs, where these are not switched off
  batch.stream = executor.stream();
  const auto evaluate_some = [&] {
    for (int i = 0; i < executor.waves_together(); ++i) evaluator.evaluate(batch, outputs.data());
  };
  constexpr int kBatches = 64;  // between two looks at the clock
  std::int64_t evaluated = -kBatches;  // the first ones only warm up
  auto start = std::chrono::steady_clock::now();
  double passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < kBatches; i += executor.waves_together()) executor.together(evaluate_some);
    executor.wait();
    if (evaluated < 0) start = std::chrono::steady_clock::now();
    evaluated += kBatches;
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return static_cast<double>(evaluated) * rows / passed;
}

}  // namespace wari
