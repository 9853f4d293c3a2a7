#include "app/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "arena/player.h"
#include "core/error.h"
#include "core/nearest.h"
#include "endgame/endgame_rules.h"
#include "search/kept_nodes.h"
#include "train/checkpoint.h"
#include "train/checkpoint_evaluator.h"

namespace wari {

namespace fs = std::filesystem;

namespace {

bool wants_file(const std::string& table) { return !table.empty() && table != kAutoTable && table != kNoTable; }

// RUN/checkpoints/NNNNNN -> RUN/tables; empty for a checkpoint that lies elsewhere.
fs::path tables_of_run(const fs::path& checkpoint) {
  const fs::path folder = fs::absolute(checkpoint).lexically_normal();
  const fs::path above = folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  return above.filename() == "checkpoints" ? above.parent_path() / "tables" : fs::path();
}

// A run's tables are a help that nobody asked for: one that cannot be read is passed over.
std::shared_ptr<const EndgameTable> largest_table(const fs::path& folder, const Rules& rules) {
  std::shared_ptr<const EndgameTable> best;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".table" || !entry.is_regular_file(failed)) continue;
    try {
      auto table = std::make_shared<EndgameTable>(EndgameTable::open(entry.path()));
      if (shares_endings(table->rules(), rules) && (!best || table->seeds() > best->seeds())) best = std::move(table);
    } catch (const Error&) {
    }
  }
  return best;
}

std::shared_ptr<const EndgameTable> table_of(const EngineSettings& settings, const fs::path& checkpoint, const Rules& rules) {
  if (wants_file(settings.table)) return open_table_for(rules, settings.table);
  const fs::path folder = settings.table == kAutoTable && !checkpoint.empty() ? tables_of_run(checkpoint) : fs::path();
  return folder.empty() ? nullptr : largest_table(folder, rules);
}

ThinkerSettings thinker_settings(const EngineSettings& settings, const Rules& rules) {
  ThinkerSettings thinker;
  thinker.search = playing_search();
  if (settings.checkpoint.empty()) thinker.search.c_puct = SearchSettings{}.c_puct;  // single playouts are noisy: explore as in self-play
  thinker.workers = workers_or_cores(settings.threads);
  thinker.batch = settings.batch;
  const std::int64_t node_bytes = (rules.action_count() > kPits ? sizeof(WideNode12) : sizeof(WideNode6)) + sizeof(Opinion);
  thinker.nodes_max = std::max<std::int64_t>(1024, (std::int64_t{settings.memory_mb} << 20) / node_bytes);
  return thinker;
}

}  // namespace

Rules engine_rules(const EngineSettings& settings) {
  if (settings.rules) return *settings.rules;
  if (settings.checkpoint.empty()) return Rules{};
  return read_checkpoint_info(resolve_checkpoint(settings.checkpoint)).rules.front().first;
}

void check_engine(const EngineSettings& settings) {
  if (!settings.checkpoint.empty()) read_checkpoint_info(resolve_checkpoint(settings.checkpoint));
  if (wants_file(settings.table) && !fs::is_regular_file(settings.table))
    throw Error("no such endgame table: " + quote(settings.table) + ": give a file that 'wari endgame build' wrote, or '" + std::string(kNoTable) + "'");
}

Engine load_engine(const EngineSettings& settings) {
  check_engine(settings);
  Engine engine;
  engine.settings = settings;
  if (settings.checkpoint.empty()) {
    engine.rules = engine_rules(settings);
    engine.name = "random games";
    engine.evaluator = make_rollout_evaluator(settings.seed);
  } else {
    engine.checkpoint = resolve_checkpoint(settings.checkpoint);  // once: a run may be going on
    const CheckpointInfo info = read_checkpoint_info(engine.checkpoint);
    engine.rules = settings.rules ? *settings.rules : info.rules.front().first;
    engine.iteration = info.iteration;
    engine.network = network_name(info.network);
    engine.name = fmt::format("{}, iteration {}, {}", settings.checkpoint, engine.iteration, engine.network);
    engine.note = untrained_rules_note(info, engine.rules, settings.checkpoint);
    CheckpointEvaluatorSettings evaluator;
    evaluator.precision = settings.precision;
    evaluator.rules = {engine.rules};
    engine.evaluator = load_checkpoint_evaluator(engine.checkpoint, evaluator);
  }
  engine.table = table_of(settings, engine.checkpoint, engine.rules);
  engine.thinker_settings = thinker_settings(settings, engine.rules);
  if (engine.table) engine.thinker_settings.tables = {engine.table};
  if (settings.tree) engine.thinker = make_thinker(engine.thinker_settings, *engine.evaluator);
  return engine;
}

}  // namespace wari
