#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda/machine_code.h"

// What the compiler made of the kernels, read without a device: slow memory where there should be registers costs a search its speed, and nothing else would tell.
namespace wari {
namespace {

TEST(MachineCode, KernelsOfTheSearchStayInRegisters) {
#ifdef WARI_CUOBJDUMP
  const std::vector<test::MachineCode> codes = test::machine_codes("cuda");
  int lanes = 0, waves = 0;
  for (const test::MachineCode& code : codes) {
    if (code.function.find("lane_kernel") == std::string::npos && code.function.find("embed_kernel") == std::string::npos) continue;
    const std::string what = code.architecture + " " + code.function;
    ++lanes;
    EXPECT_EQ(code.local, 0) << what;
    EXPECT_LE(code.registers, 64) << what << ": fewer than 1,024 threads a multiprocessor";
    EXPECT_LE(code.stack, 32) << what << ": a frame of a few words is what the largest have";
    waves += code.function.find("DescendStep") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(lanes, 20) << "kernels were renamed: this test looks for none of them";
  EXPECT_GE(waves, 4) << "each layout of nodes, for each architecture";
#else
  GTEST_SKIP() << "no cuobjdump: scripts/setup.sh installs it where nvcc is found";
#endif
}

TEST(MachineCode, NoKernelComputesInDoubleAndNetworksReadSixteenBytesAtOnce) {
#ifdef WARI_CUOBJDUMP
  const std::vector<test::Ptx> codes = test::intermediate_codes("cuda");
  if (codes.empty()) GTEST_SKIP() << "the build holds no intermediate code";
  int networks = 0;
  for (const test::Ptx& code : codes) {
    EXPECT_EQ(code.doubles, 0) << code.function;
    const bool first_layer = code.function.find("embed_kernel") != std::string::npos, gather = code.function.find("gather_kernel") != std::string::npos;
    networks += first_layer || gather ? 1 : 0;
    EXPECT_GE(code.wide_loads, first_layer ? 7 : gather ? 1 : 0) << code.function;
  }
  EXPECT_EQ(networks, 6) << "mlp, conv and its neighbours, in bfloat16 and float32";
#else
  GTEST_SKIP() << "no cuobjdump: scripts/setup.sh installs it where nvcc is found";
#endif
}

}  // namespace
}  // namespace wari
