#include "app/arena_options.h"

#include <algorithm>

#include "core/log.h"
#include "cuda/device.h"
#include "train/checkpoint_evaluator.h"

namespace wari {
namespace {

int workers_of(const ArenaOptions& options) {
  return workers_or_cores(options.workers);
}

}  // namespace

std::string players_help() {
  const SearchSettings search = playing_search();
  return fmt::format(
      "random, greedy, alphabeta:depth=6, rollouts:visits=1000, policy:checkpoint=PATH, uci:command=PATH,movetime_ms=1000 (or depth=N, or time_ms=1000,increment_ms=50; a program that speaks "
      "the UCI "
      "dialect of docs/evaluation.md), or search:checkpoint=PATH,visits=64,algorithm=puct,c_puct={},fpu_reduction={},root_uniform_share={},precision=auto, or "
      "think:checkpoint=PATH,visits=1600 (the engine's search); only PATH must "
      "be given, the other values are the defaults",
      search.c_puct, search.fpu_reduction, search.root_uniform_share);
}

void add_arena_options(CLI::App& command, ArenaOptions& options) {
  command.add_option("--rules", options.rules, "rule set: a preset, options after commas, or @file.yaml")->capture_default_str();
  CLI::Option* plies = command.add_option("--opening-plies", options.opening_plies, "random plies at the start of each pair of games")
                           ->check(CLI::Range(0, 100))
                           ->capture_default_str();
  CLI::Option* file = command
                          .add_option("--openings", options.openings,
                                      "file with one opening a line: moves, or a position and maybe moves; drawn by --seed, each once before any again")
                          ->excludes(plies);
  command
      .add_option("--balanced-openings", options.balanced_openings,
                  "all lines of so many plies that alpha-beta finds level, in place of random ones; drawn by --seed, each once before any again")
      ->check(CLI::Range(1, 20))
      ->excludes(plies)
      ->excludes(file);
  command.add_option("--balance-depth", options.balance.depth, "plies that alpha-beta looks ahead to judge an opening")
      ->check(CLI::Range(1, 30))
      ->capture_default_str();
  command.add_option("--balance-seeds", options.balance.max_seeds, "seeds by which a level opening may favour a side")
      ->check(CLI::Range(0, 72))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of openings and of all that is random about the players")->capture_default_str();
  command.add_option("--workers", options.workers, "threads, or programs of a uci player; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--device", options.device, "where tree searches of a checkpoint run: cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--lanes", options.lanes, "positions that tree searches work on at once; a GPU wants a thousand")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
}

MatchSettings match_settings(const ArenaOptions& options) {
  MatchSettings settings;
  settings.rules = parse_rules(options.rules);
  settings.opening_plies = options.opening_plies;
  settings.seed = options.seed;
  if (!options.openings.empty()) settings.book = read_openings(options.openings, settings.rules);
  if (options.balanced_openings > 0) settings.book = balanced_openings(settings.rules, options.balanced_openings, options.balance, workers_of(options));
  return settings;
}

PlayerEnvironment player_environment(const ArenaOptions& options, const Rules& rules, const StopRequest& stop) {
  PlayerEnvironment environment;
  environment.workers = workers_of(options);
  environment.lanes = std::max(options.lanes, environment.workers);
  environment.seed = options.seed;
  const auto note_rules = [rules](const std::filesystem::path& checkpoint) {
    const std::string note = checkpoint_rules_note(checkpoint, rules);
    if (!note.empty()) log_warning("{}", note);
  };
  environment.load_evaluator = [rules, note_rules](const std::filesystem::path& checkpoint, const std::string& precision) {
    CheckpointEvaluatorSettings settings;
    settings.precision = precision;
    settings.rules = {rules};
    std::unique_ptr<Evaluator> evaluator = load_checkpoint_evaluator(checkpoint, settings);
    note_rules(checkpoint);
    return evaluator;
  };
  environment.checkpoint_version = [](const std::filesystem::path& checkpoint) { return checkpoint_weights_hash(checkpoint); };
  environment.stop_requested = [&stop] { return stop.requested(); };
  if (options.device == "cuda") {
    require_device();
    environment.load_device_evaluator = [rules, note_rules, lanes = environment.lanes](const std::filesystem::path& checkpoint, const std::string& precision) {
      std::unique_ptr<Evaluator> evaluator = load_device_checkpoint_evaluator(checkpoint, {rules}, lanes, precision);
      note_rules(checkpoint);
      return evaluator;
    };
  }
  return environment;
}

nlohmann::ordered_json pairs_json(const Pentanomial& pairs) {
  return {{"0", pairs[0]}, {"0.5", pairs[1]}, {"1", pairs[2]}, {"1.5", pairs[3]}, {"2", pairs[4]}};
}

nlohmann::ordered_json forfeits_json(const ForfeitCounts& forfeits) {
  return {{"crashes", forfeits.crashes}, {"out_of_time", forfeits.out_of_time}, {"illegal_moves", forfeits.illegal_moves}};
}

std::string forfeits_text(const ForfeitCounts& forfeits) {
  std::string text;
  const auto add = [&text](int count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {} by {}", text.empty() ? "" : ", ", count, count == 1 ? "game" : "games", what);
  };
  add(forfeits.crashes, "a crash");
  add(forfeits.out_of_time, "running out of time");
  add(forfeits.illegal_moves, "an illegal move");
  return text;
}

}  // namespace wari
