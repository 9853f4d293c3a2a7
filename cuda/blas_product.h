#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/check_cuda.h"
#include "cuda/device_array.h"
#include "cuda/device_network.h"
#include "cuda/launch.h"

// Matrix products of a network in bfloat16 or float32, for .cu files that include <cublasLt.h> and <cuda_bf16.h> before it.
namespace wari {

using Half = __nv_bfloat16;

template <class T>
inline constexpr cudaDataType_t kDataType = CUDA_R_16BF;
template <>
inline constexpr cudaDataType_t kDataType<float> = CUDA_R_32F;

inline constexpr int kColumnsOfThread = 8;  // of bfloat16 16 bytes, of float32 32
inline constexpr int kEmbedThreads = 256;

inline void check_blas(cublasStatus_t status, const char* what, std::source_location where = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw system_error(std::string("cuBLASLt failed (") + cublasLtGetStatusString(status) + "): " + what + " (" + where.file_name() + ":" + std::to_string(where.line()) + "): check the device with nvidia-smi");
}

// Adds eight columns of a row of bfloat16 to `sum`.
__device__ inline void add_columns(const Half* row, float* sum /* [kColumnsOfThread] */) {
  const uint4 packed = *reinterpret_cast<const uint4*>(row);
  const std::uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a bfloat16 is the upper half of a float
    sum[2 * i] += __uint_as_float(words[i] << 16);
    sum[2 * i + 1] += __uint_as_float(words[i] & 0xffff0000u);
  }
}

__device__ inline void load_columns(const float* row, float* sum /* [kColumnsOfThread] */) {
  const float4 left = reinterpret_cast<const float4*>(row)[0], right = reinterpret_cast<const float4*>(row)[1];
  sum[0] = left.x, sum[1] = left.y, sum[2] = left.z, sum[3] = left.w, sum[4] = right.x, sum[5] = right.y, sum[6] = right.z, sum[7] = right.w;
}

__device__ inline void add_columns(const float* row, float* sum /* [kColumnsOfThread] */) {
  float columns[kColumnsOfThread];
  load_columns(row, columns);
#pragma unroll
  for (int i = 0; i < kColumnsOfThread; ++i) sum[i] += columns[i];
}

// Eight columns become relu(sum).
__device__ inline void store_relu(const float* sum /* [kColumnsOfThread] */, Half* row) {
  alignas(16) __nv_bfloat162 result[kColumnsOfThread / 2];
#pragma unroll
  for (int i = 0; i < kColumnsOfThread / 2; ++i) result[i] = __floats2bfloat162_rn(fmaxf(sum[2 * i], 0.0f), fmaxf(sum[2 * i + 1], 0.0f));
  *reinterpret_cast<uint4*>(row) = *reinterpret_cast<const uint4*>(result);
}

__device__ inline void store_relu(const float* sum /* [kColumnsOfThread] */, float* row) {
  reinterpret_cast<float4*>(row)[0] = make_float4(fmaxf(sum[0], 0.0f), fmaxf(sum[1], 0.0f), fmaxf(sum[2], 0.0f), fmaxf(sum[3], 0.0f));
  reinterpret_cast<float4*>(row)[1] = make_float4(fmaxf(sum[4], 0.0f), fmaxf(sum[5], 0.0f), fmaxf(sum[6], 0.0f), fmaxf(sum[7], 0.0f));
}

template <class T>
std::vector<T> converted(const std::vector<float>& values) {
  std::vector<T> result;
  result.reserve(values.size());
  for (const float value : values) result.push_back(static_cast<T>(value));  // to the nearest
  return result;
}

template <class T>
DeviceArray<T> uploaded(const std::vector<T>& values) {
  DeviceArray<T> array(values.size(), "weights", Contents::unset);
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
inline Layout layout_of(cudaDataType_t type, int rows, int columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check_blas(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows), "describing a matrix");
  return Layout(layout);
}

// y[rows, outputs] = activation(x[rows, inputs] weight[outputs, inputs]^T + bias), for one shape; a residual [rows, outputs] is added before the activation.
class Product {
 public:
  // Sums are float32 in any case; with float32 operands so are the products (no TF32).
  Product(cublasLtHandle_t blas, int rows, int inputs, int outputs, bool relu, cudaDataType_t operand, cudaDataType_t result)
      : weight_(layout_of(operand, inputs, outputs)), x_(layout_of(operand, inputs, rows)), y_(layout_of(result, outputs, rows)) {
    cublasLtMatmulDesc_t description = nullptr;
    check_blas(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product");
    description_.reset(description);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    const cublasLtEpilogue_t epilogue = relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, result);
    choose(blas, alignment_of_parts(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs) * (operand == CUDA_R_32F ? sizeof(float) : sizeof(Half))));
  }

  void run(cublasLtHandle_t blas, const void* weight, const void* bias, const void* x, void* y, void* workspace, cudaStream_t stream, const void* residual = nullptr) {
    const float one = 1.0f, of_residual = residual == nullptr ? 0.0f : 1.0f;
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    check_blas(cublasLtMatmul(blas, description_.get(), &one, weight, weight_.get(), x, x_.get(), &of_residual, residual == nullptr ? y : residual, y_.get(), y, y_.get(), &algorithm_, workspace, kWorkspaceBytes, stream), "multiplying");
  }

 private:
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check_blas(cublasLtMatmulDescSetAttribute(description_.get(), attribute, &value, sizeof value), "describing a product");
  }

  // `alignment`: of the weights, which lie one layer behind the other.
  void choose(cublasLtHandle_t blas, std::uint32_t alignment) {
    cublasLtMatmulPreference_t made = nullptr;
    check_blas(cublasLtMatmulPreferenceCreate(&made), "choosing a product");
    const Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(made);
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes, sizeof kWorkspaceBytes), "choosing a product");
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment, sizeof alignment), "choosing a product");
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

inline Owned<cublasLtHandle_t, cublasLtDestroy> new_blas() {
  cublasLtHandle_t blas = nullptr;
  check_blas(cublasLtCreate(&blas), "starting cuBLASLt");
  return Owned<cublasLtHandle_t, cublasLtDestroy>(blas);
}

// A network in the device's memory. Of one evaluator, at addresses that stay: take() writes others' numbers there.
template <class T>
struct DeviceWeights {
  explicit DeviceWeights(const FoldedWeights& folded)
      : width(folded.width),
        layers(folded.layers),
        embedding(uploaded(converted<T>(folded.embedding))),
        rule_rows(uploaded(folded.rule_rows)),
        weight(uploaded(converted<T>(folded.weight))),
        bias(uploaded(converted<T>(folded.bias))),
        head_weight(uploaded(converted<T>(folded.head_weight))),
        head_bias(uploaded(folded.head_bias)) {}

  DeviceWeights(const DeviceWeights& other)
      : width(other.width), layers(other.layers), embedding(other.embedding.size()), rule_rows(other.rule_rows.size()), weight(other.weight.size()), bias(other.bias.size()), head_weight(other.head_weight.size()), head_bias(other.head_bias.size()) {
    take(other);
  }

  bool is_shaped_as(const DeviceWeights& other) const { return width == other.width && layers == other.layers && rule_rows.size() == other.rule_rows.size() && head_weight.size() == other.head_weight.size(); }
  void take(const DeviceWeights& other) {
    embedding.copy_from(other.embedding);
    rule_rows.copy_from(other.rule_rows);
    weight.copy_from(other.weight);
    bias.copy_from(other.bias);
    head_weight.copy_from(other.head_weight);
    head_bias.copy_from(other.head_bias);
  }

  int width, layers;
  DeviceArray<T> embedding;  // as in FoldedWeights
  DeviceArray<float> rule_rows;
  DeviceArray<T> weight, bias;
  DeviceArray<T> head_weight;
  DeviceArray<float> head_bias;
};

}  // namespace wari
