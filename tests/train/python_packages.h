#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// Tests that run Python with the packages of cmake/test_requirements.txt skip where `scripts/setup.sh tests` has not installed them; WARI_REQUIRE_PYTHON=1 makes that a
// failure.
namespace wari {

struct PythonRan {
  int status = 0;
  std::string out, err;
};

// The arguments stand in single quotes: they may hold anything but these. Nothing is compiled into the source tree.
inline PythonRan run_python(const std::vector<std::string>& arguments) {
  const char* own = std::getenv("WARI_DEPS");
  const char* home = std::getenv("HOME");
  std::string command = "'" + (own != nullptr ? std::string(own) : std::string(home != nullptr ? home : "") + "/.cache/wari") + "/venv/bin/python3' -B";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::string pattern = testing::TempDir() + "wari_python_XXXXXX";
  const int descriptor = ::mkstemp(pattern.data());
  if (descriptor >= 0) ::close(descriptor);
  PythonRan ran;
  FILE* pipe = ::popen((command + " 2>'" + pattern + "' </dev/null").c_str(), "r");
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.out.append(buffer, count);
  ran.status = WEXITSTATUS(::pclose(pipe));
  std::ifstream in(pattern);
  ran.err.assign(std::istreambuf_iterator<char>(in), {});
  std::remove(pattern.c_str());
  return ran;
}

inline const std::string& missing_python() {
  static const std::string missing = [] {
    const PythonRan ran = run_python({"-c", "import numpy, onnx, onnxruntime, safetensors"});
    return ran.status == 0 ? std::string() : "no Python with the packages of cmake/test_requirements.txt, run scripts/setup.sh tests: " + ran.err;
  }();
  return missing;
}

}  // namespace wari

#define WARI_NEEDS_PYTHON()                                                                         \
  if (!missing_python().empty()) {                                                                  \
    const char* required = std::getenv("WARI_REQUIRE_PYTHON");                                      \
    if (required != nullptr && std::string(required) == "1") FAIL() << missing_python();            \
    GTEST_SKIP() << missing_python();                                                               \
  }
