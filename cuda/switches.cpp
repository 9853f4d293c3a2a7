#include "cuda/switches.h"

#include <cstdlib>
#include <utility>

#include "core/error.h"

namespace wari {

namespace {

std::optional<CudaSwitches>& scoped_switches() {
  static std::optional<CudaSwitches> switches;
  return switches;
}

}  // namespace

CudaSwitches parse_cuda_switches(std::string_view text) {
  CudaSwitches switches;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (word == "no-graphs") {
      switches.graphs = false;
    } else if (word == "sync") {
      switches.synchronise = true;
      switches.graphs = false;
    } else if (word == "one-wave") {
      switches.waves_together = 1;
    } else if (word == "compare") {
      switches.compare = true;
      switches.waves_together = 1;
    } else if (word == "guard") {
      switches.guard = true;
    } else if (word == "float32") {
      switches.float32 = true;
    } else if (!word.empty()) {
      throw Error("unknown word in the environment variable WARI_CUDA: '" + std::string(word) + "': known are no-graphs, sync, one-wave, compare, guard, float32");
    }
  }
  return switches;
}

CudaSwitches cuda_switches() {
  if (scoped_switches()) return *scoped_switches();
  const char* const text = std::getenv("WARI_CUDA");
  return parse_cuda_switches(text == nullptr ? "" : text);
}

CudaSwitchesScope::CudaSwitchesScope(const CudaSwitches& switches) : before_(std::exchange(scoped_switches(), switches)) {}
CudaSwitchesScope::~CudaSwitchesScope() { scoped_switches() = before_; }

}  // namespace wari
