#include "core/game.h"
#include "cuda/check_cuda.h"
#include "cuda/device.h"
#include "cuda/device_array.h"
#include "cuda/image_of.h"
#include "cuda/launch.h"
#include "cuda/rules_trace.h"

namespace wari {

namespace {

__global__ void trace_kernel(const SowingTables* tables, const Rules* rules, Position start, std::uint64_t seed, int games, GameTrace* traces /* [games] */) {
  const int game = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (game < games) traces[game] = trace_game(*tables, *rules, start, seed, static_cast<std::uint64_t>(game));
}

}  // namespace

void add_rules_images(std::vector<KernelImage>& images) { images.push_back(image_of("random games", trace_kernel)); }

std::vector<GameTrace> trace_games_on_device(const Rules& rules, std::uint64_t seed, int games) {
  require_device();
  const DeviceArray<SowingTables> tables(1);
  const DeviceArray<Rules> device_rules(1);
  const DeviceArray<GameTrace> traces(static_cast<std::size_t>(games));
  tables.write({&sowing_tables(), 1});
  device_rules.write({&rules, 1});
  trace_kernel<<<blocks_for(games), kThreadsOfBlock>>>(tables.data(), device_rules.data(), start_position(rules), seed, games, traces.data());
  check_cuda(cudaGetLastError(), "starting the games");
  return traces.read();
}

}  // namespace wari
