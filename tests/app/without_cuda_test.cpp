#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/run_wari.h"

// The program with the stubs in place of the GPU's half of the rooms, as a machine without nvcc builds it.
namespace wari {
namespace {

using testing::HasSubstr;

class WithoutCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << "this build has no CUDA side, so 'wari' itself is that program";
  }

  // Exit status; what it said is in said().
  int run(const std::string& arguments) const {
    const std::string command = std::string("cd ") + WARI_SOURCE_DIR + " && " + program_ + " " + arguments + " >" + folder_.path() + "/said 2>&1 </dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  std::string said() const {
    std::ifstream in(folder_.path() + "/said");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string out() const { return folder_.path() + "/out"; }

 private:
  std::string program_ = WARI_BINARY_DIR "/wari_without_cuda";
  TestFolder folder_;
};

TEST_F(WithoutCuda, ItSaysSoAndWorksOnTheCpu) {
  EXPECT_EQ(run("--version"), 0);
  EXPECT_THAT(said(), HasSubstr("without CUDA"));
  EXPECT_EQ(run("doctor"), 0) << said();
  EXPECT_THAT(said(), HasSubstr("this build has no CUDA side"));
  EXPECT_EQ(run("selfplay --config configs/smoke.yaml --evaluator hash --games 2 --device auto --out " + out()), 0) << said();
  EXPECT_THAT(said(), HasSubstr("device auto: the CPU is used: "));
}

TEST_F(WithoutCuda, AskedForAGpuItRefuses) {
  EXPECT_EQ(run("doctor --device cuda"), 1) << said();
  EXPECT_EQ(run("match --a random --b random --games 2 --device cuda"), 2) << said();
  EXPECT_EQ(run("train --config configs/smoke.yaml --set device=cuda --run " + out()), 2) << said();
  EXPECT_THAT(said(), HasSubstr("CUDA"));
}

}  // namespace
}  // namespace wari
