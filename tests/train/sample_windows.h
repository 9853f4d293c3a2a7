#pragma once

#include <algorithm>

#include "core/error.h"
#include "search/cpu_executor.h"
#include "tests/search/fake_device.h"
#include "train/sample_ring.h"

// Copies of the replay window without a GPU.
namespace wari::test {

// On the device that is none. Counts the samples copied.
struct FakeWindowDevice {
  template <class T>
  using Array = FakeDeviceArray<T>;
  inline static std::int64_t samples_copied = 0;

  template <class T>
  static void copy(void* stream, T* to, std::span<const T> values) {
    if constexpr (std::is_same_v<T, Sample>) samples_copied += static_cast<std::int64_t>(values.size());
    static_cast<FakeStream*>(stream)->add([to, values] { std::copy(values.begin(), values.end(), to); });
    static_cast<FakeStream*>(stream)->synchronize();
  }
  template <class Step>
  static void launch(void* stream, int rows, const Step& step) {
    auto* const own = static_cast<FakeStream*>(stream);
    own->add([own, rows, step] { own->lanes(rows, step); });
  }
};

// In the host's memory, for the learner on this processor.
struct HostWindowDevice {
  template <class T>
  using Array = LaneArray<T>;

  template <class T>
  static void copy(void*, T* to, std::span<const T> values) {
    std::copy(values.begin(), values.end(), to);
  }
  template <class Step>
  static void launch(void*, int rows, const Step& step) {
    CpuExecutor::each(rows, step);
  }
};

// A device without room for more than so many samples.
struct SmallWindowDevice : HostWindowDevice {
  inline static std::size_t most_samples = 0;
  template <class T>
  class Array : public LaneArray<T> {
   public:
    Array() = default;
    Array(std::size_t count, const char* name, Contents contents) : LaneArray<T>(count, name, contents) {
      if (std::is_same_v<T, Sample> && count > most_samples) throw system_error("no room: the test's device");
    }
  };
};

}  // namespace wari::test
