#include <string>
#include <vector>

#include "app/commands.h"
#include "core/error.h"
#include "core/log.h"
#include "cuda/selfplay_engine.h"
#include "selfplay/game_writer.h"
#include "selfplay/selfplay.h"
#include "train/checkpoint_evaluator.h"
#include "train/choose_device.h"
#include "train/stop_request.h"
#include "train/training_settings.h"

namespace wari {
namespace {

struct SelfplayCommandOptions {
  std::string config, checkpoint, evaluator, out, jsonl, ogn, device;
  std::vector<std::string> overrides;
  std::int64_t games = 0;
};

std::unique_ptr<Evaluator> evaluator_of(const SelfplayCommandOptions& options, const TrainingSettings& settings, const std::vector<Rules>& rules, bool cuda) {
  if (options.checkpoint.empty() == options.evaluator.empty()) throw Error("who judges positions: command line: give either --checkpoint or --evaluator hash, uniform or rollout");
  if (options.evaluator == "hash") return cuda ? make_device_hash_evaluator() : make_hash_evaluator();
  if (options.evaluator == "uniform") return cuda ? make_device_uniform_evaluator() : make_uniform_evaluator();
  if (options.evaluator == "rollout" && cuda) throw Error("random games judge on the CPU alone: --evaluator rollout: give --device cpu, or another evaluator");
  if (options.evaluator == "rollout") return make_rollout_evaluator(settings.seed);
  CheckpointEvaluatorSettings network;
  network.precision = settings.precision;
  network.rules = rules;
  auto evaluator = cuda ? load_device_checkpoint_evaluator(options.checkpoint, rules, settings.selfplay.lanes, settings.precision) : load_checkpoint_evaluator(options.checkpoint, network);
  for (const Rules& set : rules) {
    const std::string note = checkpoint_rules_note(options.checkpoint, set);
    if (!note.empty()) log_warning("{}", note);
  }
  return evaluator;
}

std::string progress_line(const GenerationReport& report, std::int64_t games) {
  const double rate = report.seconds > 0 ? static_cast<double>(report.games) / report.seconds : 0;
  std::string line = fmt::format("{} of {} games, {:.0f} games/s, {:.3g} simulations/s", report.games, games, rate,
                                 report.seconds > 0 ? static_cast<double>(report.simulations) / report.seconds : 0);
  if (rate > 0) line += fmt::format(", {:.0f} s left", static_cast<double>(games - report.games) / rate);
  return line;
}

int run_selfplay(const SelfplayCommandOptions& options, Output& out) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.device.empty()) overrides.push_back("device=" + options.device);
  const TrainingSettings settings = read_training_settings(options.config, overrides);
  SelfplayOptions play;
  play.rules = make_rules_mix(settings.rules);
  play.seed = settings.seed;
  play.workers = settings.workers;
  play.games_end = options.games;
  const bool rollout_of_auto = settings.device == "auto" && options.evaluator == "rollout";  // the CPU's alone
  const bool cuda = !rollout_of_auto && choose_device(settings.device, device_probe(settings.network.kind, settings.precision, /*learns=*/false));
  if (cuda) {
    play.workers = 1;
    play.make_engine = make_cuda_selfplay_engine;
  }
  const auto evaluator = evaluator_of(options, settings, play.rules.rules, cuda);
  RecordHeader header;
  header.run_id = fmt::format("selfplay, seed {}, {}", settings.seed, options.checkpoint.empty() ? options.evaluator : options.checkpoint);
  header.rules = play.rules.rules;
  GameWriter writer(options.out, options.jsonl, header, options.ogn);
  StopRequest stop;
  Progress progress;
  auto tables = prepare_endgame_tables(settings.selfplay.endgame, play.rules.rules, std::filesystem::path(options.out) / "tables", settings.workers, [&](const EndgameBuildProgress& now) {
    progress.update(fmt::format("endgames of {} seeds, {:.0f} s left", now.seeds, now.seconds_left));
    return stop.signal() == 0;
  });
  progress.clear();
  if (!tables) return kSignalExit + stop.signal();
  play.tables = std::move(*tables);
  Selfplay selfplay(settings.selfplay, play, *evaluator);
  const GenerationReport report = generate_games(selfplay, writer, [&](const GenerationReport& so_far) {
    progress.update(progress_line(so_far, options.games));
    return stop.signal() == 0;
  });
  progress.clear();
  out.document({{"games", report.games}, {"plies", report.plies}, {"simulations", report.simulations}, {"evaluations", report.evaluations}, {"seconds", report.seconds}});
  out.print("{} games of {} plies in {:.1f} s; records are in {}\n", report.games, report.plies, report.seconds, options.out);
  return stop.signal() != 0 && report.games < options.games ? kSignalExit + stop.signal() : 0;
}

}  // namespace

void add_selfplay_command(CommandLine& line) {
  const auto options = std::make_shared<SelfplayCommandOptions>();
  CLI::App& command = line.add("selfplay", "plays games against itself and writes their records", "wari selfplay --config configs/smoke.yaml --evaluator hash --games 1000 --out games",
                               [options](Output& out) { return run_selfplay(*options, out); });
  command.add_option("--config", options->config, "configuration file; its 'selfplay', 'rules', 'seed' and 'workers' count")->required();
  command.add_option("--checkpoint", options->checkpoint, "judge: a checkpoint's folder, a run's (its newest), or RUN@best");
  command.add_option("--evaluator", options->evaluator, "judge without a network: hash, uniform or rollout")->check(CLI::IsMember({"hash", "uniform", "rollout"}));
  command.add_option("--games", options->games, "games to play")->required()->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  command.add_option("--out", options->out, "new folder for the records")->required();
  command.add_option("--jsonl", options->jsonl, "the same games as JSON lines, in order of game number");
  command.add_option("--ogn", options->ogn, "the same games as text that Oware programs read (docs/ogn.md)");
  command.add_option("--device", options->device, "cpu, cuda or auto; default: what the configuration says")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command.add_option("--set", options->overrides, "KEY=VALUE, overrides the file; any number of times");
}

}  // namespace wari
