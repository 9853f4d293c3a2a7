#include "train/device_window.h"

#include "cuda/cuda_executor.h"
#include "cuda/device.h"
#include "cuda/image_of.h"
#include "train/sample_ring.h"

namespace wari {
namespace {

struct CudaWindowDevice {
  template <class T>
  using Array = DeviceArray<T>;

  // In the stream's order, so that steps which still read the samples written over are through.
  template <class T>
  static void copy(void* stream, T* to, std::span<const T> values) {
    const auto own = static_cast<cudaStream_t>(stream);
    check_cuda(cudaMemcpyAsync(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, own), "copying positions of the replay window");
    check_cuda(cudaStreamSynchronize(own), "copying positions of the replay window");
  }

  template <class Step>
  static void launch(void* stream, int rows, const Step& step) {
    lane_kernel<Step><<<blocks_for(rows), kThreadsOfBlock, 0, static_cast<cudaStream_t>(stream)>>>(rows, step);
    check_cuda(cudaGetLastError(), "gathering a batch");
  }
};

}  // namespace

std::unique_ptr<SampleWindow> make_device_window(double root_value_share) {
  require_device();
  return std::make_unique<SampleRing<CudaWindowDevice>>(static_cast<float>(root_value_share));
}

std::vector<KernelImage> window_kernel_images() {
  if (devices().empty()) return {};
  return {image_of("batch from the window", lane_kernel<GatherStep>)};
}

GatheredBatch gather_on_device(SampleWindow& window, std::span<const std::uint32_t> places) {
  const std::size_t rows = places.size();
  const DeviceArray<std::uint32_t> device_places(rows, "places of a batch", Contents::unset);
  const DeviceArray<Token> integers(rows * kBatchIntegers, "batch", Contents::unset);
  const DeviceArray<float> numbers(rows * kBatchNumbers, "batch", Contents::unset);
  device_places.write(places);
  window.gather(device_places.data(), static_cast<int>(rows), integers.data(), numbers.data(), nullptr);
  check_cuda(cudaStreamSynchronize(nullptr), "gathering a batch");
  return {integers.read(), numbers.read()};
}

}  // namespace wari
