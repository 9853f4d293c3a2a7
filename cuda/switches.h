#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wari {

struct KernelTimes;

// For finding a fault on a GPU: what WARI_CUDA names, separated by commas.
struct CudaSwitches {
  bool graphs = true;         // no-graphs: every kernel is launched by itself
  bool synchronise = false;   // sync: each kernel is waited for and checked, so that an error names it; turns graphs off
  int waves_together = 8;     // one-wave: the log is drained after every wave
  bool compare = false;       // compare: self-play is played on the CPU too, and the first difference named (ComparingEngine); one wave at a time

  bool guard = false;         // guard: buffers lie between bands that are checked after every graph of waves, and begin as nonsense where they should be written first
  bool float32 = false;       // float32: networks compute in float32
  KernelTimes* times = nullptr;  // of a program that measures: each kernel is waited for and its time added there; turn graphs off with it

  friend bool operator==(const CudaSwitches&, const CudaSwitches&) = default;
};

// Throws Error for a word that is none of them.
CudaSwitches parse_cuda_switches(std::string_view text);
// Of the environment, or of the innermost CudaSwitchesScope.
CudaSwitches cuda_switches();

// While it lives, what is made for a GPU follows these: for measuring one way against another in one process. One at a time, of one thread.
class CudaSwitchesScope {
 public:
  explicit CudaSwitchesScope(const CudaSwitches& switches);
  ~CudaSwitchesScope();
  CudaSwitchesScope(const CudaSwitchesScope&) = delete;
  CudaSwitchesScope& operator=(const CudaSwitchesScope&) = delete;

 private:
  std::optional<CudaSwitches> before_;
};

}  // namespace wari
