#include "cuda/check_cuda.h"
#include "cuda/image_of.h"
#include "cuda/launch.h"
#include "cuda/selfplay_engine.h"
#include "search/hash_row.h"

namespace wari {
namespace {

__global__ void hash_kernel(int rows, std::uint64_t row_seed, const Position* positions /* [rows] */, const std::uint8_t* active /* [rows] */, float* outputs /* [rows, kOutputs] */) {
  const int row = static_cast<int>(blockIdx.x * kThreadsOfBlock + threadIdx.x);
  if (row < rows && active[row] != 0) hash_row(row_seed, positions[row], outputs + static_cast<std::int64_t>(row) * kOutputs);
}

class DeviceHashEvaluator final : public Evaluator {
 public:
  explicit DeviceHashEvaluator(std::uint64_t row_seed) : row_seed_(row_seed) {}
  bool needs_tokens() const override { return false; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    hash_kernel<<<blocks_for(batch.rows), kThreadsOfBlock, 0, static_cast<cudaStream_t>(batch.stream)>>>(batch.rows, row_seed_, batch.positions, batch.active, outputs);
    check_cuda(cudaGetLastError(), "starting the hash evaluator");
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceHashEvaluator>(row_seed_); }

 private:
  std::uint64_t row_seed_;
};

class DeviceUniformEvaluator final : public Evaluator {
 public:
  bool needs_tokens() const override { return false; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    check_cuda(cudaMemsetAsync(outputs, 0, static_cast<std::size_t>(batch.rows) * kOutputs * sizeof(float), static_cast<cudaStream_t>(batch.stream)), "clearing outputs");
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<DeviceUniformEvaluator>(); }
};

}  // namespace

void add_evaluator_images(std::vector<KernelImage>& images) { images.push_back(image_of("hash evaluator", hash_kernel)); }

std::unique_ptr<Evaluator> make_device_hash_evaluator(std::uint64_t seed) { return std::make_unique<DeviceHashEvaluator>(hash_row_seed(seed)); }
std::unique_ptr<Evaluator> make_device_uniform_evaluator() { return std::make_unique<DeviceUniformEvaluator>(); }

}  // namespace wari
