#include "cuda/device_network.h"

#include <cublasLt.h>
#include <cuda_bf16.h>

#include <chrono>

#include "core/tokens.h"
#include "cuda/check_cuda.h"
#include "cuda/device.h"
#include "cuda/device_array.h"

namespace wari {
namespace {

using Half = __nv_bfloat16;

constexpr int kColumnsOfThread = 8;  // 16 bytes of bfloat16
constexpr int kEmbedThreads = 256;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

void check_blas(cublasStatus_t status, const char* what, std::source_location where = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw system_error(std::string("cuBLASLt failed (") + cublasLtGetStatusString(status) + "): " + what + " (" + where.file_name() + ":" + std::to_string(where.line()) + "): check the device with nvidia-smi");
}

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
    const float4* const rule = reinterpret_cast<const float4*>(rule_rows + static_cast<std::int64_t>(rules_index[row]) * width + column);
    const float4 left = rule[0], right = rule[1];
    sum[0] = left.x, sum[1] = left.y, sum[2] = left.z, sum[3] = left.w, sum[4] = right.x, sum[5] = right.y, sum[6] = right.z, sum[7] = right.w;
    const Token* const own = tokens + static_cast<std::int64_t>(row) * kBoardTokens;
#pragma unroll
    for (int place = 0; place < kBoardTokens; ++place) {
      const uint4 packed = *reinterpret_cast<const uint4*>(embedding + static_cast<std::int64_t>(own[place]) * width + column);
      const std::uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {  // a bfloat16 is the upper half of a float
        sum[2 * i] += __uint_as_float(words[i] << 16);
        sum[2 * i + 1] += __uint_as_float(words[i] & 0xffff0000u);
      }
    }
  }
  __nv_bfloat162 result[kColumnsOfThread / 2];
#pragma unroll
  for (int i = 0; i < kColumnsOfThread / 2; ++i) result[i] = __floats2bfloat162_rn(fmaxf(sum[2 * i], 0.0f), fmaxf(sum[2 * i + 1], 0.0f));
  *reinterpret_cast<uint4*>(x + static_cast<std::int64_t>(row) * width + column) = *reinterpret_cast<const uint4*>(result);
}

std::vector<Half> halves(const std::vector<float>& values) {
  std::vector<Half> result;
  result.reserve(values.size());
  for (const float value : values) result.push_back(__float2bfloat16(value));
  return result;
}

template <class T>
DeviceArray<T> uploaded(const std::vector<T>& values) {
  DeviceArray<T> array(values.size());
  array.write(values);
  return array;
}

template <class Handle, cublasStatus_t (*destroy)(Handle)>
struct Destroyer {
  using pointer = Handle;
  void operator()(Handle handle) const { destroy(handle); }
};
template <class Handle, cublasStatus_t (*destroy)(Handle)>
using Owned = std::unique_ptr<Handle, Destroyer<Handle, destroy>>;

using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

// Column-major, as cuBLAS counts: a row-major [rows, columns] is its [columns, rows].
Layout layout_of(cudaDataType_t type, int rows, int columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check_blas(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows), "describing a matrix");
  return Layout(layout);
}

// y[rows, outputs] = activation(x[rows, inputs] weight[outputs, inputs]^T + bias), for one shape.
class Product {
 public:
  Product(cublasLtHandle_t blas, int rows, int inputs, int outputs, bool relu, cudaDataType_t result)
      : weight_(layout_of(CUDA_R_16BF, inputs, outputs)), x_(layout_of(CUDA_R_16BF, inputs, rows)), y_(layout_of(result, outputs, rows)) {
    cublasLtMatmulDesc_t description = nullptr;
    check_blas(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product");
    description_.reset(description);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    const cublasLtEpilogue_t epilogue = relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, result);
    choose(blas);
  }

  void run(cublasLtHandle_t blas, const Half* weight, const void* bias, const Half* x, void* y, void* workspace, cudaStream_t stream) {
    const float one = 1.0f, zero = 0.0f;
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    check_blas(cublasLtMatmul(blas, description_.get(), &one, weight, weight_.get(), x, x_.get(), &zero, y, y_.get(), y, y_.get(), &algorithm_, workspace, kWorkspaceBytes, stream), "multiplying");
  }

 private:
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check_blas(cublasLtMatmulDescSetAttribute(description_.get(), attribute, &value, sizeof value), "describing a product");
  }

  void choose(cublasLtHandle_t blas) {
    cublasLtMatmulPreference_t made = nullptr;
    check_blas(cublasLtMatmulPreferenceCreate(&made), "choosing a product");
    const Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(made);
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes, sizeof kWorkspaceBytes), "choosing a product");
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    check_blas(cublasLtMatmulAlgoGetHeuristic(blas, description_.get(), weight_.get(), x_.get(), y_.get(), y_.get(), preference.get(), 1, &found, &count), "choosing a product");
    if (count == 0) throw system_error("cuBLASLt has no product of this shape: use a width that is a multiple of 16");
    algorithm_ = found.algo;
  }

  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> description_;
  Layout weight_, x_, y_;
  cublasLtMatmulAlgo_t algorithm_;
};

// What clones share: constant once made.
struct DeviceMlp {
  explicit DeviceMlp(const FoldedMlp& folded)
      : width(folded.width),
        blocks(folded.blocks),
        embedding(uploaded(halves(folded.embedding))),
        rule_rows(uploaded(folded.rule_rows)),
        weight(uploaded(halves(folded.weight))),
        bias(uploaded(halves(folded.bias))),
        head_weight(uploaded(halves(folded.head_weight))),
        head_bias(uploaded(folded.head_bias)) {}

  int width, blocks;
  DeviceArray<Half> embedding;    // [kVocabulary, width]
  DeviceArray<float> rule_rows;   // [rules, width]
  DeviceArray<Half> weight;       // [blocks, width, width]
  DeviceArray<Half> bias;         // [blocks, width]
  DeviceArray<Half> head_weight;  // [kOutputs, width]
  DeviceArray<float> head_bias;   // [kOutputs]
};

class DeviceMlpEvaluator final : public Evaluator {
 public:
  DeviceMlpEvaluator(std::shared_ptr<const DeviceMlp> network, int rows)
      : network_(std::move(network)), rows_(rows), x_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(network_->width)), y_(x_.size()), workspace_(kWorkspaceBytes) {
    cublasLtHandle_t blas = nullptr;
    check_blas(cublasLtCreate(&blas), "starting cuBLASLt");
    blas_.reset(blas);
    block_ = std::make_unique<Product>(blas, rows, network_->width, network_->width, true, CUDA_R_16BF);
    head_ = std::make_unique<Product>(blas, rows, network_->width, kOutputs, false, CUDA_R_32F);
  }

  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    if (batch.rows != rows_) throw system_error("the network on the GPU was made for " + std::to_string(rows_) + " rows and got " + std::to_string(batch.rows) + ": report this as a fault");
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    const DeviceMlp& n = *network_;
    const auto width = static_cast<std::size_t>(n.width);
    const std::int64_t threads = static_cast<std::int64_t>(rows_) * (n.width / kColumnsOfThread);
    embed_kernel<<<static_cast<unsigned>((threads + kEmbedThreads - 1) / kEmbedThreads), kEmbedThreads, 0, stream>>>(rows_, n.width, batch.board_tokens, batch.rules_index, batch.active, n.embedding.data(),
                                                                                                                     n.rule_rows.data(), x_.data());
    check_cuda(cudaGetLastError(), "starting the first layer");
    Half* x = x_.data();
    Half* y = y_.data();
    for (std::size_t block = 0; block < static_cast<std::size_t>(n.blocks); ++block) {
      block_->run(blas_.get(), n.weight.data() + block * width * width, n.bias.data() + block * width, x, y, workspace_.data(), stream);
      std::swap(x, y);
    }
    head_->run(blas_.get(), n.head_weight.data(), n.head_bias.data(), x, outputs, workspace_.data(), stream);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceMlpEvaluator>(network_, rows_); }

 private:
  std::shared_ptr<const DeviceMlp> network_;
  int rows_;
  DeviceArray<Half> x_, y_;              // [rows, width]
  DeviceArray<std::uint8_t> workspace_;  // [kWorkspaceBytes]
  Owned<cublasLtHandle_t, cublasLtDestroy> blas_;
  std::unique_ptr<Product> block_, head_;
};

}  // namespace

std::unique_ptr<Evaluator> make_device_mlp_evaluator(const MlpWeights& weights, std::span<const Rules> rules, int rows) {
  require_device();
  return std::make_unique<DeviceMlpEvaluator>(std::make_shared<const DeviceMlp>(fold_mlp(weights, rules)), rows);
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
