#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/random.h"

namespace wari {

// Runs the test `filter` of this program, which trains the run that WARI_TEST_RUN names, again and again in a process of its own; kills the first twelve after
// a random time, the last one ends by itself. Returns how many were killed.
inline int kill_until_done(const std::string& filter, const std::filesystem::path& run, double whole_ms) {
  const std::string variable = "WARI_TEST_RUN=" + run.string();
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_filter=" + filter, "--gtest_brief=1"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry; ++entry) environment.push_back(*entry);
  environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  for (int kills = 0;; ++kills) {
    int status = -1;
    pid_t child = 0;
    if (::posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environment.data()) != 0) ADD_FAILURE() << "cannot run this program again";
    if (kills < 12) {
      const std::uint64_t bits = random_bits(7, static_cast<std::uint64_t>(kills), 0, Purpose::test, 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(100 + random_unit(bits) * static_cast<float>(whole_ms) / 2)));
      ::kill(child, SIGKILL);
    }
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) continue;
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return kills;
  }
}

}  // namespace wari
