#pragma once

#include <cstddef>

#include "search/selfplay_engine.h"

namespace wari {

// What an engine of self-play takes of the memory that its lanes are in: the sizes of its arrays, which a test holds against what is allocated.
struct EngineBytes {
  std::size_t trees = 0;
  std::size_t lanes = 0;   // searches, games, histories, rows of the network's batch
  std::size_t log = 0;     // of moves; on a GPU twice that, since it is moved together before it is fetched
  std::size_t tables = 0;  // parameters and tables, shared by all lanes

  std::size_t total() const { return trees + lanes + log + tables; }
};

// `tokens`: the evaluator reads them.
EngineBytes engine_bytes(const SelfplayEngineSettings& settings, bool tokens);

}  // namespace wari
