#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "core/error.h"
#include "core/game.h"
#include "cuda/device.h"
#include "cuda/rules_trace.h"

namespace wari {

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw system_error(std::string("CUDA failed (") + cudaGetErrorString(status) + "): " + what + ": check the device with nvidia-smi");
}

template <class T>
using DeviceArray = std::unique_ptr<T, decltype(&cudaFree)>;

template <class T>
DeviceArray<T> device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "allocating memory");
  return DeviceArray<T>(static_cast<T*>(memory), cudaFree);
}

__global__ void trace_kernel(const SowingTables* tables, const Rules* rules, Position start, std::uint64_t seed, int games, GameTrace* traces /* [games] */) {
  const int game = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (game < games) traces[game] = trace_game(*tables, *rules, start, seed, static_cast<std::uint64_t>(game));
}

}  // namespace

std::vector<GameTrace> trace_games_on_device(const Rules& rules, std::uint64_t seed, int games) {
  require_device();
  const auto tables = device_array<SowingTables>(1);
  const auto device_rules = device_array<Rules>(1);
  const auto traces = device_array<GameTrace>(static_cast<std::size_t>(games));
  check(cudaMemcpy(tables.get(), &sowing_tables(), sizeof(SowingTables), cudaMemcpyHostToDevice), "copying tables");
  check(cudaMemcpy(device_rules.get(), &rules, sizeof(Rules), cudaMemcpyHostToDevice), "copying rules");
  trace_kernel<<<(games + 127) / 128, 128>>>(tables.get(), device_rules.get(), start_position(rules), seed, games, traces.get());
  check(cudaGetLastError(), "starting the kernel");
  std::vector<GameTrace> result(static_cast<std::size_t>(games));
  check(cudaMemcpy(result.data(), traces.get(), result.size() * sizeof(GameTrace), cudaMemcpyDeviceToHost), "copying traces");
  return result;
}

}  // namespace wari
