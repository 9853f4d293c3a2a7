#include "train/run_state.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <span>

#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "core/random.h"
#include "cuda/device.h"
#include "cuda/selfplay_engine.h"
#include "train/checkpoint_evaluator.h"
#include "train/choose_device.h"
#include "train/memory_need.h"
#include "train/network_evaluator.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<Rules, int>> with_weights(const Weights& weights) {
  std::vector<std::pair<Rules, int>> rules;
  for (const auto& [name, weight] : weights) rules.emplace_back(parse_rules(name), weight);
  return rules;
}

// Tells runs apart, so that their files are not mixed up; of no influence on what is learned.
std::string new_run_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("{:016x}", mix64(static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(::getpid()) << 48)));
}

std::string joined(const std::vector<std::string>& lines, const char* between) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : between) + line;
  return text;
}

std::vector<std::string> names_of(const RulesMix& mix) {
  std::vector<std::string> names;
  for (const Rules& rules : mix.rules) names.push_back(rules_name(rules));
  return names;
}

// The saved configuration against the wanted one: the allowed changes, which are noted; any other is an Error.
std::vector<ConfigChange> compare_with_saved(RunState& run) {
  TrainingSettings saved;
  load_config(saved, ConfigSource::from_file(run.folder.configuration()));
  std::vector<ConfigChange> changes = compare_configurations(config_values(saved), config_values(run.settings), run.folder.path());
  for (const ConfigChange& change : changes) run.counters.changes.push_back(fmt::format("{}: {} -> {}", change.key, change.before, change.now));
  return changes;
}

// A line of metrics follows its checkpoint, so a run with lines and no checkpoint has lost them: beginning again would hide that.
void refuse_lost_checkpoints(const RunState& run) {
  std::error_code absent;
  const auto bytes = fs::file_size(run.folder.metrics(), absent);
  if (run.newest >= 0 || absent || bytes == 0) return;
  throw Error("the run's checkpoints are missing, though it has metrics: '" + run.folder.checkpoints().string() +
              "': restore that folder from a copy, or name another run with --run");
}

// Reads what checkpoint.json says, and checks every file that it lists.
void read_newest(RunState& run) {
  const fs::path folder = run.folder.checkpoint(run.newest);
  const CheckpointInfo info = read_checkpoint_info(folder);
  verify_checkpoint(folder, info);
  const std::vector<std::string> differences = checkpoint_differences(info, run.settings.network, run.weighted_rules);
  if (!differences.empty()) {
    throw Error("the checkpoint does not fit the configuration: '" + folder.string() + "': " + joined(differences, "; ") +
                "; put these keys back, or name another folder with --run");
  }
  const std::vector<std::string> changes = run.counters.changes;
  try {
    run.counters = RunCounters::from_json(info.loop.at("counters"));
    if (info.loop.contains("metrics_text")) run.last_line = nlohmann::ordered_json::parse(info.loop.at("metrics_text").get<std::string>());
  } catch (const nlohmann::json::exception& error) {
    throw Error("damaged: '" + (folder / "checkpoint.json").string() + "': " + error.what() +
                "; restore it, or move the folder away to go on from the checkpoint before");
  }
  run.counters.changes.insert(run.counters.changes.end(), changes.begin(), changes.end());
  run.run_id = info.run_id;
}

// What the checkpoints on disk still tell: their metrics lines, and the shards that must stay for them.
void read_older(RunState& run) {
  std::vector<nlohmann::ordered_json> lines;
  for (const std::int64_t iteration : run.folder.committed_checkpoints()) {
    const nlohmann::json loop = read_checkpoint_info(run.folder.checkpoint(iteration)).loop;
    if (loop.contains("shards")) remember_needs(run, iteration, shards_from_json(loop.at("shards")), RunCounters::from_json(loop.at("counters")).accepted);
    if (loop.contains("metrics_text")) lines.push_back(nlohmann::ordered_json::parse(loop.at("metrics_text").get<std::string>(), nullptr, false));
  }
  std::erase_if(lines, [](const nlohmann::ordered_json& line) { return !line.is_object(); });
  for (const std::int64_t iteration : run.folder.repair_metrics(run.newest, lines)) {
    // The process stopped between the checkpoint and its line; the event, written before the line, may be missing too. Twice the same point does no harm.
    for (const auto& line : lines) {
      if (line.value("iteration", std::int64_t{0}) == iteration) run.events->write(iteration, metrics_scalars(line));
    }
  }
}

void restore(RunState& run) {
  const fs::path folder = run.folder.checkpoint(run.newest);
  const Checkpoint checkpoint = read_checkpoint(folder);
  run.trainer->load(checkpoint.state);
  run.replay->restore(shards_from_json(checkpoint.info.loop.at("shards")), run.counters.total_positions);
  if (!run.selfplay || checkpoint.lanes.empty()) return;
  if (run.settings.evaluation.gate.rule == GateRule::none) run.counters.accepted = 0;
  const bool gated = run.counters.accepted > 0;
  run.selfplay->set_evaluator(*(gated ? run.checkpoint_evaluator(run.counters.accepted, run.rules.rules, run.settings.selfplay.lanes) : run.selfplay_evaluator()));
  const std::string_view lanes(reinterpret_cast<const char*>(checkpoint.lanes.data()), checkpoint.lanes.size());
  const std::int64_t dropped = run.selfplay->load(lanes, (folder / "lanes.bin").string());
  run.counters.dropped_games += dropped;
  if (dropped > 0) log_info("selfplay.lanes was changed: {} games in flight were dropped", dropped);
}

// Nothing where `stop` came while a table was built.
std::optional<EndgameTables> endgame_tables(const RunState& run, const EndgameSettings& wanted, std::span<const Rules> rules, const StopRequest& stop) {
  Progress line;
  auto tables = prepare_endgame_tables(wanted, rules, run.folder.path() / "tables", run.settings.workers, [&](const EndgameBuildProgress& now) {
    line.update(fmt::format("endgames of {} seeds, {:.0f} s left", now.seeds, now.seconds_left));
    return !stop.requested();
  });
  line.clear();
  return tables;
}

// The table that evaluations compare choices with, where one is wanted. Returns false where `stop` came while it was built.
bool prepare_truth(RunState& run, const StopRequest& stop) {
  if (run.settings.evaluation.every == 0) return true;
  EndgameSettings wanted;
  wanted.seeds = run.settings.evaluation.table_seeds;
  wanted.folder = run.settings.selfplay.endgame.folder;
  const auto tables = endgame_tables(run, wanted, std::span(run.rules.rules).first(1), stop);
  if (tables && !tables->empty()) run.truth = tables->front();
  return tables.has_value();
}

void play_on_device(SelfplayOptions& options) {
  options.workers = 1;
  options.make_engine = make_cuda_selfplay_engine;
}

// A new run that begins with old weights publishes them as checkpoint 0, from which it goes on like any other.
void begin_from(RunState& run, const std::string& from) {
  const fs::path folder = resolve_checkpoint(from);
  const CheckpointWeights old = read_checkpoint_weights(folder);
  run.trainer->start_from(old.weights);
  if (run.selfplay) run.selfplay->set_evaluator(*run.selfplay_evaluator());
  run.counters.origin = old.info.hashes.at("weights.safetensors");
  run.counters.changes.push_back("began with the weights of '" + folder.string() + "'");
  log_info("begins with the weights of '{}', iteration {}", folder.string(), old.info.iteration);
  commit_run(run, nullptr, nullptr);
}

}  // namespace

RunState::RunState(const TrainingRequest& request, RunFolder opened)
    : settings(request.settings),
      folder(std::move(opened)),
      rules(make_rules_mix(settings.rules)),
      weighted_rules(with_weights(settings.rules)),
      run_id(new_run_id()) {}

std::unique_ptr<Evaluator> RunState::evaluator() const { return make_network_evaluator(trainer->folded(), rules.rules, settings.precision); }

std::unique_ptr<Evaluator> RunState::selfplay_evaluator() const {
  return on_device ? make_device_network_evaluator(trainer->folded(), rules.rules, settings.selfplay.lanes, settings.precision) : evaluator();
}

std::unique_ptr<Evaluator> RunState::checkpoint_evaluator(std::int64_t iteration, const std::vector<Rules>& of_rules, int lanes) const {
  if (on_device) return load_device_checkpoint_evaluator(folder.checkpoint(iteration), of_rules, lanes, settings.precision);
  CheckpointEvaluatorSettings wanted;
  wanted.precision = settings.precision;
  wanted.rules = of_rules;
  return load_checkpoint_evaluator(folder.checkpoint(iteration), wanted);
}

std::unique_ptr<RunState> open_run(const TrainingRequest& request) {
  if (!request.from.empty()) {  // looked at before anything is made, so that a wrong one leaves nothing behind
    const CheckpointInfo info = read_checkpoint_weights(resolve_checkpoint(request.from)).info;
    const std::vector<std::string> differences = checkpoint_differences(info, request.settings.network, with_weights(request.settings.rules));
    if (!differences.empty()) {
      throw Error("the checkpoint of --from does not fit the configuration: '" + request.from + "': " + joined(differences, "; ") +
                  "; give another checkpoint, or the configuration that it was trained with");
    }
  }
  auto run = std::make_unique<RunState>(request, RunFolder(request.run));
  std::vector<ConfigChange> changes;
  if (run->folder.has_configuration()) changes = compare_with_saved(*run);
  run->newest = run->folder.newest_checkpoint();
  refuse_lost_checkpoints(*run);
  if (run->newest >= 0) read_newest(*run);
  if (run->newest >= 0 && !request.from.empty() &&
      run->counters.origin != read_checkpoint_info(resolve_checkpoint(request.from)).hashes.at("weights.safetensors")) {
    throw Error("this run exists already and did not begin with the weights of --from: '" + request.run.string() +
                "': leave --from out to continue it, or name another folder with --run");
  }
  for (const ConfigChange& change : changes) log_info("{}: {} was changed from {} to {}", request.run.string(), change.key, change.before, change.now);
  return run;
}

bool start_run(RunState& run, const TrainingRequest& request, const StopRequest& stop) {
  const std::string configuration = config_yaml(run.settings);
  if (!run.folder.has_configuration() || read_whole_file(run.folder.configuration()) != configuration)
    write_file_durably(run.folder.configuration(), configuration);
  for (const std::string& file : run.folder.set_aside_newer(run.newest))
    log_info("{} was under way when the run stopped: moved to set-aside, made again", file);
  for (const fs::path& folder : {run.folder.checkpoints(), run.folder.replay()}) fs::create_directories(folder);
  run.events = std::make_unique<EventFile>(run.folder.tensorboard());
  read_older(run);
  run.results = std::make_unique<ResultsDatabase>(run.folder.results());
  run.results->erase_after(static_cast<int>(std::max<std::int64_t>(run.newest, 0)));

  const TrainingSettings& settings = run.settings;
  run.on_device = choose_device(settings.device, device_probe(settings.network.kind, settings.precision, /*learns=*/true));
  const bool cuda = run.on_device;
  log_info("{}: {}, {} on {}, threads: {}, from iteration {}", run.folder.path().string(), joined(names_of(run.rules), ", "), network_name(settings.network),
           cuda ? fmt::format("the GPU '{}'", devices().front().name) : "the CPU", settings.workers, run.counters.iteration);
  if (settings.trainer.schedule == Schedule::cosine && settings.trainer.schedule_steps == 0 && settings.max_minutes == 0) {
    log_warning("the learning rate stays at its peak: trainer.schedule is cosine, but neither trainer.schedule_steps nor max_minutes says where it ends");
  }
  if (!prepare_truth(run, stop)) return false;
  const std::optional<EndgameTables> tables = endgame_tables(run, settings.selfplay.endgame, run.rules.rules, stop);
  if (!tables) return false;
  const bool window_fits = cuda && window_fits_on_device(settings, static_cast<double>(free_device_memory()));
  if (cuda && !window_fits) log_warning("the replay window does not fit into the GPU's memory: batches are encoded on the CPU; a smaller replay.window_max avoids that");
  run.trainer = std::make_unique<Trainer>(settings.network, settings.trainer, settings.workers, settings.seed, cuda ? LearnsOn::cuda : LearnsOn::cpu, window_fits);
  run.replay = std::make_unique<Replay>(settings.replay, run.rules.rules, settings.seed, run.folder.replay(), run.run_id, settings.selfplay.endgame.labels ? *tables : EndgameTables{});
  if (request.records.empty()) {
    SelfplayOptions options;
    options.rules = run.rules;
    options.tables = *tables;
    options.seed = settings.seed;
    options.workers = settings.workers;
    if (cuda) play_on_device(options);
    run.selfplay = std::make_unique<Selfplay>(settings.selfplay, std::move(options), *run.selfplay_evaluator());
  }
  if (run.newest >= 0)
    restore(run);
  else if (!request.from.empty())
    begin_from(run, request.from);
  return true;
}

}  // namespace wari
