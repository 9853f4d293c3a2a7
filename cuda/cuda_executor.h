#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sowing.h"
#include "cuda/check_cuda.h"
#include "cuda/device_array.h"
#include "cuda/kernel_times.h"
#include "cuda/launch.h"
#include "cuda/switches.h"
#include "search/lane_steps.h"
#include "search/plain_steps.h"
#include "search/repeated_work.h"

// Runs the steps of a search as kernels, a thread a lane. For .cu files.
namespace wari {

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

// One GPU and a stream of its own on it. Calls return with the stream idle, but for wave(), together() and drain().
class CudaExecutor : public PlainSteps {
 public:
  static constexpr bool kOnDevice = true;
  template <class T>
  using Array = DeviceArray<T>;

  CudaExecutor() : switches_(cuda_switches()), sowing_(1, "sowing tables"), waves_(switches_.graphs) {
    sowing_.write({&sowing_tables(), 1});
    for (Stream* const made : {&stream_, &copies_}) {
      cudaStream_t stream = nullptr;
      check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
      made->reset(stream);
    }
  }

  const SowingTables* sowing() const { return sowing_.data(); }
  void* stream() const { return stream_.get(); }

  template <class Step>
  void each(int lanes, const Step& step) const {
    launch(lanes, step);
    check_cuda(cudaStreamSynchronize(stream_.get()), "waiting for the lanes");
    check_guards();
  }

  // One kernel. Not waited for.
  template <class Prefetch, class... Steps>
  void wave(int lanes, const Prefetch& /* the GPU hides latency by itself */, const Steps&... steps) const {
    launch(lanes, steps...);
  }

  int waves_together() const { return switches_.waves_together; }

  // Puts the work of waves_together() waves on the stream: what `enqueue` puts there, always the same.
  template <class Enqueue>
  void together(const Enqueue& enqueue) const {
    waves_.run(enqueue, [this](const Enqueue& waves) { return capture(waves); },
               [this](const Graph& graph) { check_cuda(cudaGraphLaunch(graph.get(), stream_.get()), "launching a graph of waves"); });
  }
  void wait() const {
    check_cuda(cudaStreamSynchronize(stream_.get()), "running the waves");
    check_guards();
  }
  // What `enqueue` puts there changes: with another evaluator.
  void forget() const { waves_.forget(); }

  // How many logs may wait for the host: with two the GPU goes on while the host takes the first. Bands around buffers are looked at while nothing runs.
  int logs_together() const { return switches_.guard ? 1 : 2; }

  // Puts on the stream what moves together the moves that the lanes logged since the last time. Not waited for.
  template <class N>
  void drain(int lanes, const TurnStep<N>& turn) const {
    Log& log = logs_[drains_++ % 2];
    if (log.records.size() == 0) {
      log.records = DeviceArray<MoveRecord>(static_cast<std::size_t>(lanes) * kLogSlots, "moves taken from the log", Contents::unset);
      log.drained = DeviceArray<Drained>(1, "counts of the log");
      log.end = new_event(cudaEventDisableTiming);
    }
    check_cuda(cudaMemsetAsync(log.drained.data(), 0, sizeof(Drained), stream_.get()), "clearing counts");
    drain_kernel<<<blocks_for(lanes), kThreadsOfBlock, 0, stream_.get()>>>(lanes, turn, log.records.data(), log.drained.data());
    check_cuda(cudaGetLastError(), "starting the drain of the log");
    check_cuda(cudaEventRecord(log.end.get(), stream_.get()), "recording the end of a log");
  }

  // Waits for the oldest drain() whose moves were not taken yet and appends them to `moves`.
  Drained take_log(std::vector<MoveRecord>& moves) const {
    const Log& log = logs_[takes_++ % 2];
    check_cuda(cudaEventSynchronize(log.end.get()), "running the waves");
    check_guards();
    Drained drained;
    copy_aside(&drained, log.drained.data(), sizeof drained);
    const std::size_t before = moves.size();
    moves.resize(before + static_cast<std::size_t>(drained.records));
    if (drained.records > 0) copy_aside(moves.data() + before, log.records.data(), static_cast<std::size_t>(drained.records) * sizeof(MoveRecord));
    return drained;
  }

 private:
  struct StreamDeleter {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  using Stream = std::unique_ptr<CUstream_st, StreamDeleter>;

  struct GraphDeleter {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  using Graph = std::unique_ptr<CUgraphExec_st, GraphDeleter>;

  struct EventDeleter {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  using Event = std::unique_ptr<CUevent_st, EventDeleter>;

  // Moves taken from the lanes' log.
  struct Log {
    DeviceArray<MoveRecord> records;  // [lanes, kLogSlots]
    DeviceArray<Drained> drained;     // [1]
    Event end;                        // both are there
  };

  static Event new_event(unsigned flags) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, flags), "making an event");
    return Event(event);
  }

  Event event_now() const {
    Event event = new_event(cudaEventDefault);
    check_cuda(cudaEventRecord(event.get(), stream_.get()), "recording an event");
    return event;
  }

  // While the stream of the waves goes on.
  void copy_aside(void* to, const void* from, std::size_t bytes) const {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copies_.get()), "copying moves from the device");
    check_cuda(cudaStreamSynchronize(copies_.get()), "copying moves from the device");
  }

  template <class... Steps>
  void add_time(const Event& begin) const {
    const Event end = event_now();
    check_cuda(cudaEventSynchronize(end.get()), "running a step of the search");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading a time");
    std::string name;
    ((name += (name.empty() ? "" : "+") + step_name<Steps>()), ...);
    KernelTimes::Sum& sum = switches_.times->kernels[name];
    sum.milliseconds += static_cast<double>(milliseconds);
    ++sum.launches;
  }

  template <class... Steps>
  void launch(int lanes, const Steps&... steps) const {
    const Event begin = switches_.times == nullptr ? nullptr : event_now();
    lane_kernel<Steps...><<<blocks_for(lanes), kThreadsOfBlock, 0, stream_.get()>>>(lanes, steps...);
    check_cuda(cudaGetLastError(), "starting a step of the search");
    if (begin) add_time<Steps...>(begin);
    if (switches_.synchronise) {
      check_cuda(cudaStreamSynchronize(stream_.get()), "running a step of the search");
      check_guards();
    }
  }

  void check_guards() const {
    if (switches_.guard) check_device_memory();
  }

  template <class Enqueue>
  Graph capture(const Enqueue& enqueue) const {
    // Of this thread alone: the trainer's may do what it likes meanwhile.
    cudaError_t status = cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal);
    std::string why;
    if (status == cudaSuccess) {
      try {
        enqueue();
      } catch (const Error& error) {
        why = error.what();
      }
      cudaGraph_t graph = nullptr;
      status = cudaStreamEndCapture(stream_.get(), &graph);
      cudaGraphExec_t executable = nullptr;
      if (status == cudaSuccess && why.empty()) status = cudaGraphInstantiate(&executable, graph, 0);
      if (graph != nullptr) cudaGraphDestroy(graph);
      if (status == cudaSuccess && why.empty()) return Graph(executable);
    }
    if (why.empty()) why = cudaGetErrorString(status);
    cudaGetLastError();
    throw system_error(why);
  }

  CudaSwitches switches_;

  DeviceArray<SowingTables> sowing_;  // [1]
  Stream stream_, copies_;
  mutable RepeatedWork<Graph> waves_;
  mutable Log logs_[2];                      // made by the first drains
  mutable std::uint64_t drains_ = 0, takes_ = 0;
};

}  // namespace wari
