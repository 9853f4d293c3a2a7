#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "search/guarded_memory.h"
#include "search/hash_row.h"
#include "search/lane_steps.h"
#include "search/plain_steps.h"
#include "search/repeated_work.h"

// A GPU made of this processor, for the logic of engines that work on one: kernels run late, when somebody waits for the stream, their lanes in any order; arguments are
// those of the launch; and the host that follows a pointer into its memory is stopped by a fault.
namespace wari::test {

class FakeDevice {
 public:
  static FakeDevice& instance() {
    static FakeDevice device;
    return device;
  }

  int captures = 0;            // graphs made so far
  int failing_captures = 0;    // so many of the next ones fail half-way
  std::size_t bytes_read = 0;  // by the host

  // All memory is guarded, and nonsense where it should be written first.
  GuardedMemory& memory() { return memory_; }

  // What runs inside may touch the device's memory.
  template <class Work>
  void on_device(const Work& work) {
    const Access access(*this);
    work();
  }

 private:
  class Access {
   public:
    explicit Access(FakeDevice& device) : device_(device) {
      if (device_.depth_++ == 0) device_.protect(PROT_READ | PROT_WRITE);
    }
    ~Access() {
      if (--device_.depth_ == 0) device_.protect(PROT_NONE);
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    FakeDevice& device_;
  };

  static void* allocate(std::size_t bytes) {
    FakeDevice& device = instance();
    const std::size_t size = (bytes + 4095) / 4096 * 4096;
    void* const memory = mmap(nullptr, size, device.depth_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    device.blocks_[memory] = size;
    return memory;
  }
  static void free(void* memory) noexcept {
    const auto block = instance().blocks_.find(memory);
    munmap(memory, block->second);
    instance().blocks_.erase(block);
  }
  static void fill(void* memory, int byte, std::size_t bytes) {
    instance().on_device([&] { std::memset(memory, byte, bytes); });
  }
  static void read(void* to, const void* memory, std::size_t bytes) {
    instance().on_device([&] { std::memcpy(to, memory, bytes); });
  }

  void protect(int protection) {
    for (const auto& [memory, size] : blocks_) mprotect(memory, size, protection);
  }

  std::map<void*, std::size_t> blocks_;
  int depth_ = 0;  // of calls of on_device()
  GuardedMemory memory_{{allocate, free, fill, read}};
};

class FakeStream {
 public:
  using Graph = std::vector<std::function<void()>>;

  void add(std::function<void()> kernel) {
    if (capturing_ != nullptr && capturing_->size() == 3 && FakeDevice::instance().failing_captures > 0) {
      --FakeDevice::instance().failing_captures;
      throw system_error("a kernel that no graph can hold");
    }
    (capturing_ != nullptr ? *capturing_ : waiting_).push_back(std::move(kernel));
  }
  // What `enqueue` adds becomes a graph instead of work; everything passed by value stays what it is now.
  template <class Enqueue>
  Graph capture(const Enqueue& enqueue) {
    Graph graph;
    const Capturing capturing(*this, graph);
    enqueue();
    ++FakeDevice::instance().captures;
    return graph;
  }
  void launch(const Graph& graph) { waiting_.insert(waiting_.end(), graph.begin(), graph.end()); }
  // An event: all that was added so far.
  std::uint64_t mark() const { return done_ + waiting_.size(); }
  // What was added after the mark waits on.
  void synchronize(std::uint64_t mark) {
    if (capturing_ != nullptr) throw std::logic_error("waiting for a stream that is being captured");
    if (mark <= done_) return;
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(mark - done_);
    const Graph kernels(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    done_ = mark;
    FakeDevice::instance().on_device([&] {
      for (const auto& kernel : kernels) kernel();
      FakeDevice::instance().memory().check();
    });
  }
  void synchronize() { synchronize(mark()); }
  bool idle() const { return waiting_.empty(); }
  // The lanes of one kernel in an order that changes from kernel to kernel.
  template <class Work>
  void lanes(int count, const Work& work) {
    const auto key = ++kernels_;
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
    std::sort(order.begin(), order.end(), [&](int a, int b) { return mix64(key * 1000003 + static_cast<std::uint64_t>(a)) < mix64(key * 1000003 + static_cast<std::uint64_t>(b)); });
    for (const int lane : order) work(lane);
  }

 private:
  struct Capturing {
    Capturing(FakeStream& stream, Graph& graph) : of(stream) { of.capturing_ = &graph; }
    ~Capturing() { of.capturing_ = nullptr; }
    FakeStream& of;
  };

  Graph waiting_;
  std::uint64_t done_ = 0;  // kernels
  Graph* capturing_ = nullptr;
  std::uint64_t kernels_ = 0;
};

template <class T>
class FakeDeviceArray {
 public:
  FakeDeviceArray() = default;
  explicit FakeDeviceArray(std::size_t count, const char* name = "a small array", Contents contents = Contents::zero)
      : data_(count == 0 ? nullptr : static_cast<T*>(FakeDevice::instance().memory().allocate(count * sizeof(T), name, contents))), count_(count) {}
  ~FakeDeviceArray() {
    if (data_ != nullptr) FakeDevice::instance().memory().free(data_);
  }
  FakeDeviceArray(FakeDeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  FakeDeviceArray& operator=(FakeDeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::vector<T> read() const { return read(0, count_); }
  std::vector<T> read(std::size_t first, std::size_t count) const {
    if (first + count > count_) throw std::length_error("more values than the array has places");
    std::vector<T> values(count);
    FakeDevice::instance().bytes_read += count * sizeof(T);
    FakeDevice::instance().on_device([&] { std::copy_n(data_ + first, count, values.data()); });
    return values;
  }
  void write(std::span<const T> values) const {
    if (values.size() > count_) throw std::length_error("more values than the array has places");
    FakeDevice::instance().on_device([&] { std::copy(values.begin(), values.end(), data_); });
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// With graphs of so many waves, as a GPU repeats them, or every kernel by itself.
template <bool kGraphs, int kWavesTogether = 8>
class FakeDeviceExecutor : public PlainSteps {
 public:
  static constexpr bool kOnDevice = true;
  template <class T>
  using Array = FakeDeviceArray<T>;

  FakeDeviceExecutor() : stream_(std::make_unique<FakeStream>()), sowing_(1) { sowing_.write({&sowing_tables(), 1}); }

  const SowingTables* sowing() const { return sowing_.data(); }
  void* stream() const { return stream_.get(); }

  template <class Step>
  void each(int lanes, const Step& step) const {
    wave(lanes, 0, step);
    stream_->synchronize();
  }

  template <class Prefetch, class... Steps>
  void wave(int lanes, const Prefetch&, const Steps&... steps) const {
    stream_->add([stream = stream_.get(), lanes, steps...] { stream->lanes(lanes, [&](int lane) { (steps(lane), ...); }); });
  }

  int waves_together() const { return kWavesTogether; }
  template <class Enqueue>
  void together(const Enqueue& enqueue) const {
    waves_.run(enqueue, [this](const Enqueue& waves) { return stream_->capture(waves); }, [this](const FakeStream::Graph& graph) { stream_->launch(graph); });
  }
  void wait() const { stream_->synchronize(); }
  void forget() const { waves_.forget(); }

  struct Drained {
    std::int64_t evaluations = 0;
    int idle_lanes = 0;
  };

  int logs_together() const { return 2; }

  template <class N>
  void drain(int lanes, const TurnStep<N>& turn) const {
    Log& log = logs_[drains_++ % 2];
    if (drains_ > takes_ + 2) throw std::logic_error("a log is written over before it was taken");
    stream_->add([stream = stream_.get(), to = &log, lanes, turn] {
      to->moves.clear();
      to->drained = {};
      stream->lanes(lanes, [&](int index) {
        SearchLane& lane = turn.view.lanes[index];
        to->drained.idle_lanes += lane.phase == LanePhase::idle;
        to->drained.evaluations += std::exchange(lane.evaluations, 0);
        const MoveRecord* const records = turn.log + static_cast<std::int64_t>(index) * kLogSlots;
        to->moves.insert(to->moves.end(), records, records + std::exchange(turn.play_lanes[index].records, 0));
      });
    });
    log.end = stream_->mark();
  }

  Drained take_log(std::vector<MoveRecord>& moves) const {
    if (takes_ == drains_) throw std::logic_error("a log is taken that nobody asked for");
    const Log& log = logs_[takes_++ % 2];
    stream_->synchronize(log.end);
    moves.insert(moves.end(), log.moves.begin(), log.moves.end());
    return log.drained;
  }

 private:
  struct Log {
    std::vector<MoveRecord> moves;
    Drained drained;
    std::uint64_t end = 0;
  };

  std::unique_ptr<FakeStream> stream_;
  mutable Log logs_[2];
  mutable std::uint64_t drains_ = 0, takes_ = 0;
  mutable RepeatedWork<FakeStream::Graph> waves_{kGraphs};
  FakeDeviceArray<SowingTables> sowing_;
};

class FakeDeviceHashEvaluator final : public Evaluator {
 public:
  explicit FakeDeviceHashEvaluator(std::uint64_t seed = 0) : row_seed_(hash_row_seed(seed)) {}
  bool needs_tokens() const override { return false; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    auto* const stream = static_cast<FakeStream*>(batch.stream);
    stream->add([stream, batch, outputs, seed = row_seed_] { stream->lanes(batch.rows, [&](int row) { hash_row(seed, batch.positions[row], outputs + static_cast<std::ptrdiff_t>(row) * kOutputs); }); });
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<FakeDeviceHashEvaluator>(*this); }

 private:
  std::uint64_t row_seed_;
};

// A network of two numbers in the device's memory, which must always fit together: judges as the hash evaluator of that seed.
class FakeDeviceNetwork final : public Evaluator {
 public:
  explicit FakeDeviceNetwork(std::uint64_t seed) : weights_(2, "weights", Contents::unset) { weights_.write(std::vector<std::uint64_t>{hash_row_seed(seed), ~hash_row_seed(seed)}); }
  bool needs_tokens() const override { return false; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    auto* const stream = static_cast<FakeStream*>(batch.stream);
    stream->add([stream, batch, outputs, weights = weights_.data()] {
      stream->lanes(batch.rows, [&](int row) {
        if (weights[0] != ~weights[1]) throw std::logic_error("a leaf is judged by half of one network and half of another");
        hash_row(weights[0], batch.positions[row], outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
      });
    });
  }
  bool take_weights(const Evaluator& other) override {
    const auto* const same = dynamic_cast<const FakeDeviceNetwork*>(&other);
    if (same != nullptr) weights_.write(same->weights_.read());
    return same != nullptr;
  }
  std::unique_ptr<Evaluator> clone() const override {
    auto copy = std::make_unique<FakeDeviceNetwork>(0);
    copy->take_weights(*this);
    return copy;
  }

 private:
  FakeDeviceArray<std::uint64_t> weights_;  // [2]
};

}  // namespace wari::test
