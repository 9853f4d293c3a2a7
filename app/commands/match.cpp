#include <algorithm>
#include <cmath>
#include <thread>

#include "app/commands.h"
#include "arena/elo.h"
#include "arena/match.h"
#include "arena/player.h"
#include "core/log.h"
#include "cuda/device.h"
#include "train/checkpoint_evaluator.h"
#include "train/stop_request.h"

namespace wari {
namespace {

struct MatchOptions {
  std::string a;
  std::string b;
  std::string rules = "abapa";
  int games = 400;
  int opening_plies = MatchSettings{}.opening_plies;
  std::uint64_t seed = MatchSettings{}.seed;
  int workers = 0;
  int lanes = PlayerEnvironment{}.lanes;
  std::string device = "cpu";
};

PlayerEnvironment environment_of(const MatchOptions& options, const Rules& rules) {
  PlayerEnvironment environment;
  environment.workers = options.workers > 0 ? options.workers : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
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
  if (options.device == "cuda") {
    require_device();
    environment.load_device_evaluator = [rules, note_rules, lanes = environment.lanes](const std::filesystem::path& checkpoint, const std::string& /* always bfloat16 */) {
      std::unique_ptr<Evaluator> evaluator = load_device_checkpoint_evaluator(checkpoint, {rules}, lanes);
      note_rules(checkpoint);
      return evaluator;
    };
  }
  return environment;
}

nlohmann::ordered_json seat_json(const GameCounts& counts) {
  return {{"games", counts.games()}, {"wins", counts.wins}, {"draws", counts.draws}, {"losses", counts.losses}, {"score", counts.score()}};
}

nlohmann::ordered_json match_json(const MatchOptions& options, const MatchSettings& settings, const MatchResult& result) {
  nlohmann::ordered_json document = {
      {"a", options.a}, {"b", options.b}, {"rules", rules_name(settings.rules)}, {"seed", settings.seed}, {"opening_plies", settings.opening_plies}};
  document.update({{"games", result.total.games()}, {"wins", result.total.wins}, {"draws", result.total.draws}, {"losses", result.total.losses}});
  document.update({{"score", result.total.score()}, {"elo", result.elo}, {"elo_error_95", result.elo_error_95}, {"distinct_games", result.distinct_games}});
  document["by_seat"] = {{"first", seat_json(result.first)}, {"second", seat_json(result.second)}};
  document["first_player"] = {{"score", result.first_player_score}, {"error_95", result.first_player_error_95}};
  document["mean_plies"] = result.mean_plies;
  document["complete"] = result.complete;
  document["seconds"] = result.seconds;
  return document;
}

// Without a single loss or win the Elo difference has no upper bound: what can be told is where it lies above, or below, with 95 % confidence.
std::string elo_text(const MatchResult& result) {
  const double score = result.total.score();
  if (score > 0 && score < 1) return fmt::format("Elo {:+.0f} +- {:.0f} (95 %)", result.elo, result.elo_error_95);
  const double bound = elo_from_score(std::pow(0.05, 1.0 / std::max<double>(1, static_cast<double>(result.total.games()))));
  return score == 1 ? fmt::format("Elo above {:+.0f} (95 %): every game was won", bound) : fmt::format("Elo below {:+.0f} (95 %): every game was lost", -bound);
}

void print_match(const MatchOptions& options, const MatchResult& result, Output& out) {
  out.print("{} against {}: {:.1f} %  (+{} ={} -{})\n", options.a, options.b, 100 * result.total.score(), result.total.wins, result.total.draws,
            result.total.losses);
  out.print("{}\n", elo_text(result));
  out.print("moving first {:.1f} %, second {:.1f} %; whoever moves first scores {:.1f} % +- {:.1f}\n", 100 * result.first.score(), 100 * result.second.score(),
            100 * result.first_player_score, 100 * result.first_player_error_95);
  out.print("{} distinct games of {}, {:.0f} plies on average, {:.1f} s\n", result.distinct_games, result.total.games(), result.mean_plies, result.seconds);
}

int run_match(const MatchOptions& options, Output& out) {
  MatchSettings settings;
  settings.rules = parse_rules(options.rules);
  settings.games = options.games;
  settings.opening_plies = options.opening_plies;
  settings.seed = options.seed;
  const PlayerEnvironment environment = environment_of(options, settings.rules);
  const std::unique_ptr<Player> a = make_player(options.a, environment);
  const std::unique_ptr<Player> b = make_player(options.b, environment);
  Progress progress;
  StopRequest stop;
  const MatchResult result = play_match(settings, *a, *b, [&](const MatchProgress& now) {
    progress.update(progress_text(now));
    return stop.signal() == 0;
  });
  progress.clear();
  if (!result.complete) log_warning("stopped: the result is of {} games of {}, those whose pair was finished; short games end first", result.total.games(), settings.games);
  if (result.total.games() >= 100 && std::abs(result.first_player_score - 0.5) > 0.4) {
    log_warning("whoever moved first scored {:.0f} %: openings or rules decide these games, not the players", 100 * result.first_player_score);
  }
  print_match(options, result, out);
  if (out.json()) out.document(match_json(options, settings, result));
  return result.complete ? 0 : kSignalExit + stop.signal();
}

}  // namespace

void add_match_command(CommandLine& line) {
  const auto options = std::make_shared<MatchOptions>();
  CLI::App& command = line.add("match", "plays two players against each other over paired openings",
                               "wari match --a search:checkpoint=runs/quickstart,visits=64 --b alphabeta:depth=8 --games 400 --rules abapa",
                               [options](Output& out) { return run_match(*options, out); });
  const SearchSettings search = playing_search();
  const std::string players = fmt::format("random, greedy, alphabeta:depth=6, rollouts:visits=1000, policy:checkpoint=PATH, or "
                                          "search:checkpoint=PATH,visits=64,algorithm=puct,c_puct={},fpu_reduction={},root_uniform_share={},precision=auto,table=FILE; "
                                          "only PATH must be given, the other values are the defaults", search.c_puct, search.fpu_reduction,
                                          search.root_uniform_share);
  command.add_option("--a", options->a, players)->required();
  command.add_option("--b", options->b, "likewise; results are given from A's side")->required();
  command.add_option("--games", options->games, "games, an even number: each opening is played from both seats")
      ->check(CLI::Range(2, 10'000'000))
      ->capture_default_str();
  command.add_option("--rules", options->rules, "rule set: a preset, options after commas, or @file.yaml")->capture_default_str();
  command.add_option("--opening-plies", options->opening_plies, "random plies at the start of each pair of games")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "of openings and of all that is random about the players")->capture_default_str();
  command.add_option("--workers", options->workers, "threads; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--device", options->device, "where tree searches of a checkpoint run: cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}))->capture_default_str();
  command.add_option("--lanes", options->lanes, "positions that tree searches work on at once; a GPU wants a thousand")->check(CLI::Range(1, 65536))->capture_default_str();
}

}  // namespace wari
