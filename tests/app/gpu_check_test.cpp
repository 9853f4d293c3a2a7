#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "tests/app/run_wari.h"

// scripts/gpu_check.sh against stand-ins for a build and NVIDIA's tools: which stages it runs, what it does with those that fail, and what it leaves.
namespace wari {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kBench = R"(echo '{"machine": {}, "results": [{"name": "gpu.a.simulations_per_second", "value": 5e7, "unit": "1/s", "low": 4e7, "high": 6e7}]}')";
const std::string kWari = "echo \"$@\" >>$STAND_IN/wari.log\ncase $1 in bench) " + kBench + " ;; esac";
// The limits of stages are noted. A command that would be interrupted (-s INT) ends at once, the first time as an interrupted one.
const std::string kTimeout = "[ \"$1\" = -s ] && { shift 3; \"$@\"; [ -e $STAND_IN/once ] && exit 0; touch $STAND_IN/once; exit 124; }\n"
                             "[ \"${1#--}\" != \"$1\" ] && shift\n"
                             "echo $1 >>$STAND_IN/limits.log; shift; exec \"$@\"";

class CheckScript : public testing::Test {
 protected:
  CheckScript() {
    stand_in("nvidia-smi", "echo asked >>$STAND_IN/smi.log; echo 'A GPU, 580.1, 140000 MiB'");
    stand_in("wari", kWari);
    stand_in("cuda_tests", "echo \"$WARI_CUDA $@\" >>$STAND_IN/tests.log");
    stand_in("compute-sanitizer", "while [ \"${1#-}\" != \"$1\" ]; do echo $1 $2 >>$STAND_IN/checker.log; shift 2; done; exec \"$@\"");
    stand_in("timeout", kTimeout);
  }

  void stand_in(const std::string& name, const std::string& body) {
    std::filesystem::create_directories(folder_.path() + "/bin");
    const std::string path = folder_.file("bin/" + name, "#!/bin/bash\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  // Exit status of the script.
  int run(const std::string& mode) const {
    const std::string at = folder_.path();
    const std::string command = "env STAND_IN=" + at + " PATH=" + at + "/bin:$PATH WARI_BUILD=" + at + "/bin OUT=" + at + "/out " + WARI_SOURCE_DIR + "/scripts/gpu_check.sh " + mode + " >" + at + "/said 2>&1 </dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  }

  std::string content(const std::string& name) const {
    std::ifstream in(folder_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Of the stages, in seconds.
  int limits() const {
    std::ifstream in(folder_.path() + "/limits.log");
    int sum = 0;
    for (int limit; in >> limit;) sum += limit;
    return sum;
  }

  std::ptrdiff_t files_left() const {
    const std::filesystem::recursive_directory_iterator first(folder_.path() + "/out");
    return std::distance(first, std::filesystem::recursive_directory_iterator());
  }

  TestFolder folder_;
};

TEST_F(CheckScript, QuickLooksAtEverythingOnceWithinItsTime) {
  EXPECT_EQ(run("quick"), 0) << content("said");
  const std::string table = content("out/gpu_check.md"), tests = content("tests.log");
  for (const char* stage : {"| environment | ok |", "| kernels | ok |", "| rules | ok |", "| trees, kernel by kernel | ok |", "| trees, graphs | ok |", "| doctor | ok |", "| bench gpu.mlp_12x256.16k | ok |"})
    EXPECT_THAT(table, HasSubstr(stage));
  EXPECT_THAT(table, HasSubstr("A GPU, 580.1"));
  EXPECT_EQ(content("smi.log"), "asked\nasked\n") << "the environment's stage alone, whose time is limited";
  EXPECT_THAT(table, HasSubstr("gpu.a.simulations_per_second"));
  EXPECT_THAT(tests, HasSubstr("no-graphs --gtest_filter=GpuSelfplay*"));
  EXPECT_THAT(content("wari.log"), HasSubstr("bench --json gpu.mlp_12x256.16k\n"));
  EXPECT_LE(limits(), 150);
  EXPECT_LE(files_left(), 8);
}

TEST_F(CheckScript, AStageThatFailsIsToldAndTheOthersGoOn) {
  stand_in("cuda_tests", "echo broken >&2; case $1 in *GpuRules*) exit 1 ;; esac");
  EXPECT_EQ(run("quick"), 1) << content("said");
  EXPECT_THAT(content("out/gpu_check.md"), HasSubstr("| rules | FAILED (1) |"));
  EXPECT_THAT(content("out/gpu_check.md"), HasSubstr("| doctor | ok |"));
  EXPECT_THAT(content("out/gpu_check.log"), HasSubstr("broken"));
}

TEST_F(CheckScript, TheTableIsThereAfterEachStage) {
  stand_in("wari", "cp $OUT/gpu_check.md $STAND_IN/table_at_$1; exit 1");
  EXPECT_EQ(run("quick"), 1);
  EXPECT_THAT(content("table_at_doctor"), HasSubstr("| trees, graphs | ok |"));
  EXPECT_THAT(content("table_at_bench"), HasSubstr("| doctor | FAILED (1) |"));
}

TEST_F(CheckScript, FullChecksMemoryMeasuresAndTrainsTwice) {
  EXPECT_EQ(run("full"), 0) << content("said") << content("out/gpu_check.log");
  const std::string table = content("out/gpu_check.md"), wari = content("wari.log");
  for (const char* stage : {"| memcheck | ok |", "| initcheck | ok |", "| bench gpu | ok |", "| training, interrupted | ok |", "| training, continued | ok |"}) EXPECT_THAT(table, HasSubstr(stage));
  EXPECT_THAT(content("checker.log"), HasSubstr("--tool initcheck"));
  const std::regex trained("train --config configs/gpu.yaml --run (\\S+) ");
  const std::sregex_iterator first(wari.begin(), wari.end(), trained);
  ASSERT_EQ(std::distance(first, std::sregex_iterator()), 2) << wari;
  EXPECT_EQ((*first)[1], (*std::next(first))[1]) << "the second goes on with the first's run";
  EXPECT_FALSE(std::filesystem::exists((*first)[1].str()));
  EXPECT_LE(limits(), 300);
  EXPECT_LE(files_left(), 8);
}

TEST_F(CheckScript, ACheckerThatRefusesTheDeviceIsNoFailure) {
  stand_in("compute-sanitizer", "echo 'Error: Device not supported'; exit 255");
  EXPECT_EQ(run("full"), 0) << content("said");
  EXPECT_THAT(content("out/gpu_check.md"), HasSubstr("| memcheck | skipped: compute-sanitizer refuses the device |"));
  EXPECT_THAT(content("out/gpu_check.md"), Not(HasSubstr("FAILED")));
}

TEST_F(CheckScript, ABenchmarkWithoutRowsIsAFailure) {
  stand_in("wari", "echo '{\"machine\": {}, \"results\": []}'");
  EXPECT_EQ(run("quick"), 1);
  EXPECT_THAT(content("out/gpu_check.md"), HasSubstr("| bench gpu.mlp_12x256.16k | FAILED (1) |"));
}

// Any program may stand for the two.
TEST(PackGpuBuild, PacksProgramsLibrariesScriptsAndConfigurations) {
  const TestFolder folder;
  const std::string pack = "WARI_BUILD=" + folder.path() + "/build " + WARI_SOURCE_DIR + "/scripts/pack_gpu_build.sh " + folder.path() + "/packed.tar.gz >" + folder.path() + "/said 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(pack.c_str())), 2) << "nothing is built";
  std::filesystem::create_directories(folder.path() + "/build");
  for (const char* program : {"wari", "cuda_tests"}) std::filesystem::copy_file("/bin/ls", folder.path() + "/build/" + program);
  ASSERT_EQ(WEXITSTATUS(std::system(pack.c_str())), 0);
  ASSERT_EQ(std::system(("tar -C " + folder.path() + " -xzf " + folder.path() + "/packed.tar.gz").c_str()), 0);
  for (const char* file : {"build/portable/wari", "build/portable/cuda_tests", "build/portable/lib", "scripts/gpu_check.sh", "scripts/environment.sh", "configs/gpu.yaml"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/wari_gpu/" + file)) << file;
  EXPECT_EQ(std::system((folder.path() + "/wari_gpu/build/portable/wari / >" + folder.path() + "/said").c_str()), 0) << "it still runs";
}

TEST_F(CheckScript, OtherModesAreRefused) { EXPECT_EQ(run("slow"), 2); }

}  // namespace
}  // namespace wari
