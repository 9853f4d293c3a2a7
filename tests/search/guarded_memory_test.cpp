#include "search/guarded_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"

namespace wari {
namespace {

// The host's memory in place of a device's.
RawMemory host_memory() {
  return {[](std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }, [](void* memory) noexcept { std::free(memory); },
          [](void* memory, int byte, std::size_t bytes) { std::memset(memory, byte, bytes); }, [](void* to, const void* memory, std::size_t bytes) { std::memcpy(to, memory, bytes); }};
}

std::string damage(GuardedMemory& memory) {
  try {
    memory.check();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GuardedMemory, NamesTheBufferBesideWhichSomethingWasWritten) {
  for (const std::ptrdiff_t place : {-256, -1, 100, 355}) {
    GuardedMemory memory(host_memory());
    auto* const trees = static_cast<char*>(memory.allocate(100, "trees", Contents::zero));
    auto* const log = static_cast<char*>(memory.allocate(100, "log", Contents::zero));
    std::memset(trees, 7, 100);
    EXPECT_EQ(damage(memory), "");
    log[place] ^= 1;
    const std::string text = damage(memory);
    EXPECT_NE(text.find("'log', 100 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find(place < 0 ? std::to_string(-place) + " bytes before" : std::to_string(place - 99) + " bytes past the end"), std::string::npos) << text;
    memory.free(trees);
    memory.free(log);
  }
}

TEST(GuardedMemory, DamageFoundWhileFreeingIsToldByTheNextCheck) {
  GuardedMemory memory(host_memory());
  auto* const history = static_cast<char*>(memory.allocate(64, "history", Contents::unset));
  history[64] = 0;
  EXPECT_TRUE(memory.free(history));
  EXPECT_NE(damage(memory).find("'history'"), std::string::npos);
}

TEST(GuardedMemory, WhatMustBeWrittenFirstBeginsAsNonsense) {
  GuardedMemory memory(host_memory());
  auto* const unset = static_cast<float*>(memory.allocate(64, "unset", Contents::unset));
  auto* const zero = static_cast<float*>(memory.allocate(64, "zero", Contents::zero));
  for (int i = 0; i < 16; ++i) {
    EXPECT_NE(unset[i], unset[i]) << "is a number";
    EXPECT_EQ(zero[i], 0.0f);
  }
  EXPECT_EQ(memory.bytes(), 128u);
  EXPECT_TRUE(memory.free(unset));
  EXPECT_TRUE(memory.free(zero));
  EXPECT_FALSE(memory.free(zero)) << "not of this memory any more";
  EXPECT_EQ(memory.bytes(), 0u);
}

}  // namespace
}  // namespace wari
