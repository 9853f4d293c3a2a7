#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cuda/device.h"

// Tests that need a GPU skip without one; WARI_REQUIRE_GPU=1 makes that a failure.
#define WARI_NEEDS_GPU()                                                                               \
  if (devices().empty()) {                                                                             \
    const char* required = std::getenv("WARI_REQUIRE_GPU");                                            \
    if (required != nullptr && std::string(required) == "1") FAIL() << "WARI_REQUIRE_GPU, but no GPU"; \
    GTEST_SKIP() << "no GPU";                                                                          \
  }
