#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "app/terminal/play_session.h"

namespace wari {

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A session of two visits a move without a checkpoint; what it said since the last look.
struct Driven {
  explicit Driven(SessionSettings settings = {}) : session(quick(std::move(settings)), [this](std::string_view text) { said += text; }, [] { return false; }) { session.start(); }

  static SessionSettings quick(SessionSettings settings) {
    if (!settings.visits) settings.visits = 2;
    settings.engine.threads = 1;
    settings.engine.memory_mb = 8;
    return settings;
  }
  std::string operator()(const std::string& line) {
    said.clear();
    EXPECT_TRUE(session.handle(line)) << line;
    return said;
  }
  const Game& game() const { return session.game(); }

  std::string said;
  PlaySession session;
};

}  // namespace wari
