#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/commands.h"
#include "arena/player.h"
#include "core/error.h"
#include "core/game.h"
#include "core/log.h"
#include "core/notation.h"
#include "cuda/batch_search.h"
#include "cuda/device.h"
#include "endgame/table.h"
#include "search/thinker.h"
#include "selfplay/game_statistics.h"
#include "train/checkpoint_evaluator.h"

namespace wari {
namespace {

struct AnalyzeOptions {
  std::string position;
  std::string moves;
  std::string rules = "abapa";
  std::string checkpoint;
  std::string table;
  std::string algorithm = "puct";
  std::string precision = "auto";
  std::string device = "cpu";
  double c_puct = playing_search().c_puct;
  double root_uniform_share = playing_search().root_uniform_share;
  std::int64_t visits = 0;
  int workers = 0;
  std::uint64_t seed = 1;
};

std::unique_ptr<Evaluator> evaluator_of(const AnalyzeOptions& options, const Rules& rules) {
  const bool cuda = options.device == "cuda";
  if (cuda) require_device();
  if (options.checkpoint.empty() && cuda) throw Error("random games judge on the CPU alone: --device cuda: give a --checkpoint, or --device cpu");
  if (options.checkpoint.empty()) return make_rollout_evaluator(options.seed);
  CheckpointEvaluatorSettings settings;
  settings.precision = options.precision;
  settings.rules = {rules};
  auto evaluator = cuda ? load_device_checkpoint_evaluator(options.checkpoint, {rules}, 1, options.precision) : load_checkpoint_evaluator(options.checkpoint, settings);
  const std::string note = checkpoint_rules_note(options.checkpoint, rules);
  if (!note.empty()) log_warning("{}", note);
  return evaluator;
}

RootResult analyse(const AnalyzeOptions& options, const Game& game) {
  const std::unique_ptr<Evaluator> evaluator = evaluator_of(options, game.rules());
  if (game.is_over()) return result_of_finished(game.rules(), game.position(), game.end());
  SearchSettings search;
  search.algorithm = options.algorithm == "gumbel" ? Algorithm::gumbel : Algorithm::puct;
  search.c_puct = options.c_puct;
  search.root_uniform_share = options.root_uniform_share;
  EndgameTables tables;
  if (!options.table.empty()) tables.push_back(open_table_for(game.rules(), options.table));
  if (search.algorithm == Algorithm::puct && options.device == "cpu") {
    ThinkerSettings settings;
    settings.search = search;
    settings.tables = tables;
    settings.workers = workers_or_cores(options.workers);
    const auto thinker = make_thinker(settings, *evaluator);
    thinker->set_game(game);
    return thinker->think({options.visits, {}, {}}).root;
  }
  BatchSearchSettings settings;
  settings.search = search;
  settings.tables = tables;
  settings.lanes = 1;
  RootRequest request{game.rules(), game.since_capture(), static_cast<int>(options.visits), options.seed};
  return make_batch_search(settings, *evaluator)->search({&request, 1}).front();
}

nlohmann::ordered_json moves_json(const Game& game, const RootResult& result) {
  nlohmann::ordered_json moves = nlohmann::ordered_json::array();
  for (const RootAction& action : result.actions) {
    moves.push_back({{"move", move_text(game.position(), action.action)},
                     {"visits", action.visits},
                     {"prior", action.prior},
                     {"policy", action.policy},
                     {"value", action.visits > 0 || action.proven ? nlohmann::ordered_json(action.value) : nlohmann::ordered_json(nullptr)},
                     {"proven", action.proven}});
  }
  return moves;
}

void print_result(const Game& game, const RootResult& result, Output& out) {
  const bool north = north_moves(game.position());
  out.print("{}\n{}\n", position_text(game.position()), board_text(game.position()));
  if (result.best < 0) {
    const bool north_wins = (result.margin > 0) == north;
    std::string reason = end_name(game.end());
    std::replace(reason.begin(), reason.end(), '_', ' ');
    out.print("the game is over ({}): {}\n", reason, result.margin == 0 ? "a draw" : fmt::format("{} wins by {:g} seeds", north_wins ? "North" : "South", std::fabs(result.margin)));
    return;
  }
  out.print("best {}  value {:+.3f}{}  win {:.1f} %  draw {:.1f} %  loss {:.1f} %  margin {:+.1f} seeds\n", move_text(game.position(), result.best), result.value,
            result.proven ? " (proven)" : "", 100 * result.wdl[0], 100 * result.wdl[1], 100 * result.wdl[2], result.margin);
  out.print("move   visits    prior   policy    value\n");
  for (const RootAction& action : result.actions) {
    const std::string value = action.visits > 0 || action.proven ? fmt::format("{:+.4f}{}", action.value, action.proven ? "  proven" : "") : "      -";  // nobody looked at it
    out.print("{:<4} {:>8}   {:.4f}   {:.4f}   {}\n", move_text(game.position(), action.action), action.visits, action.prior, action.policy, value);
  }
  out.print("line {}\n", fmt::join(move_texts(game, result.line), ""));
}

int run_analyze(const AnalyzeOptions& options, Output& out) {
  if (options.visits < 1 || options.visits > 2'000'000'000) throw Error("visits must be between 1 and 2000000000: --visits '" + std::to_string(options.visits) + "'");
  const Rules rules = parse_rules(options.rules);
  Game game = options.position.empty() ? Game(rules) : Game(rules, parse_position(options.position, rules));
  play_line(game, options.moves);
  const RootResult result = analyse(options, game);
  if (!out.json()) {
    print_result(game, result, out);
    return 0;
  }
  nlohmann::ordered_json document = {{"position", position_text(game.position())}, {"rules", rules_name(rules)}, {"visits", options.visits}, {"value", result.value}, {"margin", result.margin}};
  document["wdl"] = {result.wdl[0], result.wdl[1], result.wdl[2]};
  document["best"] = result.best < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(move_text(game.position(), result.best));
  document["proven"] = result.proven;
  document["line"] = move_texts(game, result.line);
  document["moves"] = moves_json(game, result);
  out.document(document);
  return 0;
}

}  // namespace

void add_analyze_command(CommandLine& line) {
  const auto options = std::make_shared<AnalyzeOptions>();
  CLI::App& command = line.add("analyze", "one search of one position; without a checkpoint random games judge", "wari analyze --rules abapa --moves FfEb --visits 2000",
                               [options](Output& out) { return run_analyze(*options, out); });
  command.add_option("--position", options->position, "position; default: the start");
  command.add_option("--moves", options->moves, "moves played from there, as one string");
  command.add_option("--rules", options->rules, "rule set: a preset, options after commas, or @file.yaml")->capture_default_str();
  command.add_option("--checkpoint", options->checkpoint, "a checkpoint's folder, a run's (its newest), or RUN@best");
  command.add_option("--visits", options->visits, "simulations, the root's evaluation not counted")->required();
  command.add_option("--table", options->table, "endgame table of these rules, looked up in the search (wari endgame build)");
  command.add_option("--algorithm", options->algorithm, "puct or gumbel")->check(CLI::IsMember({"puct", "gumbel"}))->capture_default_str();
  command.add_option("--c-puct", options->c_puct, "exploration constant")->check(number_in(0.01, 20))->capture_default_str();
  command.add_option("--uniform", options->root_uniform_share, "puct: share of equal priors at the root, so that a sure network looks at every move")
      ->check(number_in(0, 1))
      ->capture_default_str();
  command.add_option("--precision", options->precision, "of the network on the CPU: auto, float32 or int8")->capture_default_str();
  command.add_option("--device", options->device, "where the search runs: cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}))->capture_default_str();
  command.add_option("--workers", options->workers, "threads of puct on the CPU, whose result does not depend on them; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--seed", options->seed, "of the random games without a checkpoint")->capture_default_str();
}

}  // namespace wari
