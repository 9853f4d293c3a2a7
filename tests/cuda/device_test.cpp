#include "cuda/device.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/rules.h"
#include "cuda/rules_check.h"
#include "tests/cuda/needs_gpu.h"

namespace wari {
namespace {

TEST(Device, MissingDeviceIsOneClearError) {
  if (!devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  try {
    require_device();
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(e.what()).find("cuda"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("device=cpu"), std::string::npos);
  }
  EXPECT_THROW(trace_games_on_device(Rules{}, 1, 1), Error);
}

TEST(Device, ABuildWithoutCodeForTheGpuIsToldWithTheCure) {
  Device device;
  device.name = "An old GPU";
  device.capability_major = 7;
  device.capability_minor = 5;
  EXPECT_EQ(why_no_kernel(device, ""), "");
  const std::string why = why_no_kernel(device, "no kernel image is available for execution on the device");
  for (const char* part : {"'An old GPU'", "7.5", "no kernel image", "-DCMAKE_CUDA_ARCHITECTURES=native"}) EXPECT_NE(why.find(part), std::string::npos) << why;
}

TEST(Device, TracesDependOnSeedGameAndRules) {
  const auto a = trace_games_on_host(Rules{}, 1, 8), b = trace_games_on_host(Rules{}, 1, 4), c = trace_games_on_host(Rules{}, 2, 4);
  EXPECT_EQ(a[3].hash, b[3].hash);
  EXPECT_NE(a[0].hash, a[1].hash);
  EXPECT_NE(a[0].hash, c[0].hash);
  Rules two_laps;
  two_laps.laps = Laps::two;
  EXPECT_NE(a[0].hash, trace_games_on_host(two_laps, 1, 1)[0].hash);
  EXPECT_GT(a[0].plies, 10);
}

TEST(GpuRules, AMillionPositionsAreTheSameOnHostAndDevice) {
  WARI_NEEDS_GPU();
  std::int64_t positions = 0;
  for (const auto& [name, rules] : rule_presets()) {
    const auto host = trace_games_on_host(rules, 7, 3000), device = trace_games_on_device(rules, 7, 3000);
    for (std::size_t game = 0; game < host.size(); ++game) {
      ASSERT_EQ(host[game].hash, device[game].hash) << name << ", game " << game;
      ASSERT_EQ(host[game].plies, device[game].plies) << name << ", game " << game;
      positions += host[game].plies;
    }
  }
  EXPECT_GE(positions, 1'000'000);
}

}  // namespace
}  // namespace wari
