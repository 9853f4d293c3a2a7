#pragma once

#include <memory>
#include <vector>

#include "core/sowing.h"
#include "cuda/check_cuda.h"
#include "cuda/device_array.h"
#include "search/lane_steps.h"
#include "search/plain_steps.h"

// Runs the steps of a search as kernels, a thread a lane. For .cu files.
namespace wari {

inline constexpr int kThreadsOfBlock = 128;

inline int blocks_for(int lanes) { return (lanes + kThreadsOfBlock - 1) / kThreadsOfBlock; }

// The steps one after the other, all of them in the lane's thread.
template <class... Steps>
__global__ void __launch_bounds__(kThreadsOfBlock) lane_kernel(int lanes, Steps... steps) {
  const int lane = static_cast<int>(blockIdx.x * kThreadsOfBlock + threadIdx.x);
  if (lane >= lanes) return;
  (steps(lane), ...);
}

// What a drain found, summed over the lanes.
struct Drained {
  unsigned long long evaluations = 0;
  int records = 0;
  int idle_lanes = 0;
};

// Moves the lanes' logs together, in any order of lanes, each lane's records in their order.
template <class N>
__global__ void __launch_bounds__(kThreadsOfBlock) drain_kernel(int lanes, TurnStep<N> turn, MoveRecord* records /* [lanes, kLogSlots] */, Drained* drained) {
  const int index = static_cast<int>(blockIdx.x * kThreadsOfBlock + threadIdx.x);
  if (index >= lanes) return;
  SearchLane& lane = turn.view.lanes[index];
  PlayLane& play_lane = turn.play_lanes[index];
  if (lane.phase == LanePhase::idle) atomicAdd(&drained->idle_lanes, 1);
  if (lane.evaluations != 0) atomicAdd(&drained->evaluations, static_cast<unsigned long long>(lane.evaluations));
  lane.evaluations = 0;
  const int count = play_lane.records;
  if (count == 0) return;
  play_lane.records = 0;
  MoveRecord* const to = records + atomicAdd(&drained->records, count);
  const MoveRecord* const from = turn.log + static_cast<std::int64_t>(index) * kLogSlots;
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

// One GPU and a stream of its own on it. Calls return with the stream idle, but for wave().
class CudaExecutor : public PlainSteps {
 public:
  static constexpr bool kOnDevice = true;
  static constexpr int kWavesTogether = 8;  // between two drains of the log
  template <class T>
  using Array = DeviceArray<T>;

  CudaExecutor() : sowing_(1) {
    sowing_.write({&sowing_tables(), 1});
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    stream_.reset(stream);
  }

  const SowingTables* sowing() const { return sowing_.data(); }
  void* stream() const { return stream_.get(); }

  template <class Step>
  void each(int lanes, const Step& step) const {
    launch(lanes, step);
    check_cuda(cudaStreamSynchronize(stream_.get()), "waiting for the lanes");
  }

  // One kernel. Not waited for.
  template <class Prefetch, class... Steps>
  void wave(int lanes, const Prefetch& /* the GPU hides latency by itself */, const Steps&... steps) const {
    launch(lanes, steps...);
  }

  // Takes the moves that the lanes logged since the last time and appends them to `log`.
  template <class N>
  Drained drain(int lanes, const TurnStep<N>& turn, std::vector<MoveRecord>& log) const {
    if (records_.size() == 0) {
      records_ = DeviceArray<MoveRecord>(static_cast<std::size_t>(lanes) * kLogSlots);
      drained_ = DeviceArray<Drained>(1);
    }
    check_cuda(cudaMemsetAsync(drained_.data(), 0, sizeof(Drained), stream_.get()), "clearing counts");
    drain_kernel<<<blocks_for(lanes), kThreadsOfBlock, 0, stream_.get()>>>(lanes, turn, records_.data(), drained_.data());
    check_cuda(cudaGetLastError(), "starting the drain of the log");
    check_cuda(cudaStreamSynchronize(stream_.get()), "running the waves");
    Drained drained;
    copy_to_host(&drained, drained_.data(), sizeof drained);
    const std::size_t before = log.size();
    log.resize(before + static_cast<std::size_t>(drained.records));
    if (drained.records > 0) copy_to_host(log.data() + before, records_.data(), static_cast<std::size_t>(drained.records) * sizeof(MoveRecord));
    return drained;
  }

 private:
  struct StreamDeleter {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };

  template <class... Steps>
  void launch(int lanes, const Steps&... steps) const {
    lane_kernel<Steps...><<<blocks_for(lanes), kThreadsOfBlock, 0, stream_.get()>>>(lanes, steps...);
    check_cuda(cudaGetLastError(), "starting a step of the search");
  }

  DeviceArray<SowingTables> sowing_;  // [1]
  std::unique_ptr<CUstream_st, StreamDeleter> stream_;
  mutable DeviceArray<MoveRecord> records_;  // [lanes, kLogSlots], made by the first drain
  mutable DeviceArray<Drained> drained_;     // [1]
};

}  // namespace wari
