#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda/machine_code.h"

// What the compiler made of the kernels, read without a device: slow memory where there should be registers costs a search its speed, and nothing else would tell.
namespace wari {
namespace {

#ifdef WARI_CUOBJDUMP
// Is a name part of a kernel that every wave launches, but for the turn, most of whose lanes have nothing to do?
bool is_of_every_wave(const std::string& function) {
  for (const char* name : {"BackupStep", "DescendStep", "embed_kernel", "gather_kernel", "hash_kernel", "drain_kernel"}) {
    if (function.find(name) != std::string::npos) return true;
  }
  return false;
}
#endif

TEST(MachineCode, KernelsStayInRegisters) {
#ifdef WARI_CUOBJDUMP
  const std::vector<test::MachineCode> codes = test::machine_codes("cuda");
  int kernels = 0, waves = 0;
  for (const test::MachineCode& code : codes) {
    if (code.function.find("trace_kernel") != std::string::npos) continue;  // random games, of the self-test alone
    const std::string what = code.architecture + " " + code.function;
    const bool every_wave = is_of_every_wave(code.function);
    ++kernels;
    EXPECT_EQ(code.local, 0) << what;
    EXPECT_LE(code.registers, 64) << what << ": fewer than 1,024 threads a multiprocessor";
    // Without a frame there is nothing that could be loaded from slow memory or stored there.
    EXPECT_LE(code.stack, every_wave && code.architecture == "sm_90" ? 0 : 24) << what;
    waves += every_wave ? 1 : 0;
  }
  EXPECT_GE(kernels, 30) << "kernels were renamed: this test looks for none of them";
  EXPECT_GE(waves, 15) << "open and back up, descend and expand in each layout of nodes, first layers, neighbours, hashes, the log";
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
