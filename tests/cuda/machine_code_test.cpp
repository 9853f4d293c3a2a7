#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <string>
#include <vector>

// What the compiler made of the kernels, read without a device: slow memory where there should be registers costs a search its speed, and nothing else would tell.
namespace wari {
namespace {

struct MachineCode {
  std::string architecture;
  std::string function;  // mangled
  int registers = 0, stack = 0, local = 0;
};

#ifdef WARI_CUOBJDUMP
// What cuobjdump with this option says of the library, line by line.
template <class Line>
void read_dump(const std::string& option, const Line& line) {
  const std::string command = "'" WARI_CUOBJDUMP "' " + option + " '" WARI_BINARY_DIR "/libwari_cuda.a' 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return;
  char buffer[8192];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line(std::string(" ") + buffer);
  ::pclose(pipe);
}

std::vector<MachineCode> machine_codes() {
  std::vector<MachineCode> codes;
  const std::regex architecture("arch = (sm_[0-9]+)"), function(" Function ([^:]+):"), usage("REG:([0-9]+) STACK:([0-9]+) .*LOCAL:([0-9]+)");
  MachineCode code;
  read_dump("-res-usage", [&](const std::string& line) {
    std::smatch found;
    if (std::regex_search(line, found, architecture)) code.architecture = found[1];
    if (std::regex_search(line, found, function)) code.function = found[1];
    if (std::regex_search(line, found, usage)) {
      code.registers = std::stoi(found[1]);
      code.stack = std::stoi(found[2]);
      code.local = std::stoi(found[3]);
      codes.push_back(code);
    }
  });
  return codes;
}

// A kernel's intermediate code, which is the same for every device.
struct Ptx {
  std::string function;  // mangled
  int wide_loads = 0;    // of 128 bits
  int doubles = 0;       // instructions of float64
};

std::vector<Ptx> intermediate_codes() {
  std::vector<Ptx> codes;
  const std::regex entry("\\.entry (\\w+)"), wide("ld\\.[a-z.]*\\.v4\\.[bfus]32"), wide_of_64("ld\\.[a-z.]*\\.v2\\.[bfus]64");
  read_dump("-ptx", [&](const std::string& line) {
    std::smatch found;
    if (std::regex_search(line, found, entry)) codes.push_back({found[1]});
    if (codes.empty()) return;
    codes.back().wide_loads += std::regex_search(line, wide) || std::regex_search(line, wide_of_64) ? 1 : 0;
    codes.back().doubles += line.find(".f64") != std::string::npos ? 1 : 0;
  });
  return codes;
}
#endif

TEST(MachineCode, KernelsOfTheSearchStayInRegisters) {
#ifdef WARI_CUOBJDUMP
  const std::vector<MachineCode> codes = machine_codes();
  int lanes = 0, waves = 0;
  for (const MachineCode& code : codes) {
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
  const std::vector<Ptx> codes = intermediate_codes();
  if (codes.empty()) GTEST_SKIP() << "the build holds no intermediate code";
  int networks = 0;
  for (const Ptx& code : codes) {
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
