#include "cuda/device.h"
#include "cuda/rules_check.h"

// Takes the place of rules_check_device.cu in a build without CUDA.
namespace wari {

std::vector<GameTrace> trace_games_on_device(const Rules&, std::uint64_t, int) {
  require_device();
  return {};
}

}  // namespace wari
