#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/run_wari.h"

// scripts/setup.sh against stand-ins for Debian's tools.
namespace wari {
namespace {

using testing::HasSubstr;
using testing::Not;

class Setup : public testing::Test {
 protected:
  Setup() {
    stand_in("id", "echo 0");
    stand_in("cmake", "echo cmake version 3.31.0");
    stand_in("apt-get", "echo \"$@\" >>" + folder_.path() + "/apt.log");
    std::filesystem::create_directories(folder_.path() + "/libtorch/lib");
    folder_.file("libtorch/lib/libtorch_cpu.so", "");
  }

  void stand_in(const std::string& name, const std::string& body) {
    std::filesystem::create_directories(folder_.path() + "/bin");
    const std::string path = folder_.file("bin/" + name, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  // The virtual environment's Python, which writes down what pip would install.
  void stand_in_python() {
    std::filesystem::create_directories(folder_.path() + "/deps/venv/bin");
    const std::string python = folder_.file("deps/venv/bin/python3", "#!/bin/sh\nfor word; do case $word in /dev/fd/*) cat $word;; esac; done >>" + folder_.path() + "/pip.log\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  }

  // Exit status of the script.
  int run(const std::string& word = "") const {
    const std::string command = "env PATH=" + folder_.path() + "/bin:$PATH WARI_DEPS=" + folder_.path() + "/deps WARI_LIBTORCH=" + folder_.path() + "/libtorch " + WARI_SOURCE_DIR +
                                "/scripts/setup.sh " + word + " >" + folder_.path() + "/out 2>&1 </dev/null";
    return std::system(command.c_str());
  }

  std::string content(const std::string& name) const {
    std::ifstream in(folder_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TestFolder folder_;
};

// dpkg-query reports the packages it knows and fails for the others, as on a machine that has none of them.
TEST_F(Setup, InstallsWhatAFreshMachineLacks) {
  stand_in("dpkg-query", "printf 'ii g++\\nii ninja-build\\nun mold\\n'; exit 1");
  EXPECT_EQ(run(), 0) << content("out");
  EXPECT_THAT(content("out"), HasSubstr("setup: installing Debian packages"));
  const std::string installed = content("apt.log");
  EXPECT_THAT(installed, HasSubstr("install"));
  for (const char* name : {" mold", " libyaml-cpp-dev", " libprotozero-dev"}) EXPECT_THAT(installed, HasSubstr(name));
  for (const char* name : {" g++", " ninja-build"}) EXPECT_THAT(installed, Not(HasSubstr(name)));
}

TEST_F(Setup, InstallsABrowserForTestsAlone) {
  stand_in("dpkg-query", "shift 3; for name; do case $name in chromium*) ;; *) echo \"ii $name\" ;; esac; done");
  EXPECT_EQ(run(), 0) << content("out");
  EXPECT_EQ(content("apt.log"), "");
  stand_in_python();
  EXPECT_EQ(run("tests"), 0) << content("out");
  EXPECT_THAT(content("apt.log"), HasSubstr("chromium chromium-driver"));
}

TEST_F(Setup, InstallsNothingWhereNothingIsMissing) {
  stand_in("dpkg-query", "shift 3; for name; do echo \"ii $name\"; done");
  EXPECT_EQ(run(), 0) << content("out");
  EXPECT_THAT(content("out"), Not(HasSubstr("installing")));
  EXPECT_EQ(content("apt.log"), "");
}

TEST_F(Setup, StopsWhereAPackageCannotBeInstalled) {
  stand_in("dpkg-query", "exit 1");
  stand_in("apt-get", "echo E: Unable to locate package >&2; exit 100");
  EXPECT_NE(run(), 0);
  EXPECT_THAT(content("out"), HasSubstr("Unable to locate package"));
}

TEST_F(Setup, InstallsThePackagesOfTestsWhenAskedAndOnce) {
  stand_in("dpkg-query", "shift 3; for name; do echo \"ii $name\"; done");
  stand_in_python();
  EXPECT_EQ(run(), 0) << content("out");
  EXPECT_EQ(content("pip.log"), "");
  EXPECT_EQ(run("tests"), 0) << content("out");
  const std::string installed = content("pip.log");
  for (const char* name : {"numpy==", "onnx==", "onnxruntime==", "safetensors=="}) EXPECT_THAT(installed, HasSubstr(name));
  EXPECT_THAT(installed, Not(HasSubstr("#")));
  EXPECT_EQ(run("tests"), 0) << content("out");
  EXPECT_EQ(content("pip.log"), installed);
  EXPECT_EQ(WEXITSTATUS(run("test")), 2);
  EXPECT_THAT(content("out"), HasSubstr("'test'"));
}

}  // namespace
}  // namespace wari
