#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/rules.h"
#include "endgame/table.h"
#include "search/evaluator.h"
#include "search/thinker.h"

// Somebody to play against or to ask: a checkpoint's network (random games where there is none), an endgame table and a tree. What the commands have in common that think
// about one game for long.
namespace wari {

inline constexpr const char* kAutoTable = "<auto>";  // the largest of RUN/tables that serves the rules, where the checkpoint belongs to a run
inline constexpr const char* kNoTable = "<none>";

struct EngineSettings {
  std::string checkpoint;            // a checkpoint's folder, a run's (its newest), RUN@best; empty: random games judge
  std::optional<Rules> rules;        // to be played; without: the checkpoint's first, or abapa
  int threads = 0;                   // 0: one per core
  int batch = 0;                     // leaves judged at once, at most; 0: as many as pay for themselves
  std::string table = kAutoTable;    // a file, kAutoTable, or kNoTable (or empty)
  int memory_mb = 256;               // of the tree
  std::string precision = "auto";    // of the network: auto, float32, int8
  std::uint64_t seed = 1;            // of the random games
  bool tree = true;                  // false: no thinker, each user makes one

  bool operator==(const EngineSettings&) const = default;
};

// To be used by one thread at a time. More trees over the same network: make_thinker(engine.thinker_settings, *engine.evaluator).
struct Engine {
  EngineSettings settings;
  Rules rules;
  std::filesystem::path checkpoint;             // the folder that settings.checkpoint stood for; empty: none
  std::string name;                             // "runs/quickstart, iteration 1389, mlp_2x128", or "random games"
  std::int64_t iteration = -1;                  // of the checkpoint; -1: none
  std::string network;                          // "mlp_2x128"; empty: none
  std::string note;                             // what a user should know: rules that the network was not trained on; empty: nothing
  std::shared_ptr<const EndgameTable> table;    // null: none
  ThinkerSettings thinker_settings;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<Thinker> thinker;             // null without a tree

  int table_seeds() const { return table ? table->seeds() : 0; }
};

// Throws Error: no such checkpoint, a damaged file, a table of other rules.
Engine load_engine(const EngineSettings& settings);

// What load_engine() would refuse for its paths, found without reading weights or values. Throws Error.
void check_engine(const EngineSettings& settings);

// The rules that load_engine() plays by these settings.
Rules engine_rules(const EngineSettings& settings);

}  // namespace wari
