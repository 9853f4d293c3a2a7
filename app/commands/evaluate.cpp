#include <algorithm>
#include <charconv>

#include "app/commands.h"
#include "arena/truth.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "train/checkpoint.h"
#include "train/checkpoint_evaluator.h"
#include "train/stop_request.h"

namespace wari {
namespace {

struct EvaluateOptions {
  std::string checkpoint, table, rules, picture;
  std::string budgets = "0,16,64,256,1024";
  std::string player_table;
  int positions = 400;
  int seeds_low = 0;
  bool equal_moves = false;
  std::uint64_t seed = 1;
  int workers = 0;
};

std::vector<int> parse_budgets(const std::string& text) {
  std::vector<int> budgets;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    int budget = -1;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, budget);
    if (error != std::errc() || stop != text.data() + end || budget < 0 || budget > 1'000'000 || std::find(budgets.begin(), budgets.end(), budget) != budgets.end())
      throw Error("bad budget '" + text.substr(at, end - at) + "': --budgets '" + text + "': give different whole numbers from 0 (the raw policy) to 1000000, joined by commas");
    budgets.push_back(budget);
    at = end + 1;
  }
  return budgets;
}

// Seeds up to which the checkpoint's self-play looked positions up: 0 for none.
int seeds_looked_up(const CheckpointInfo& info) {
  for (const nlohmann::json& setting : info.loop.value("configuration", nlohmann::json::array())) {  // pairs of key and text
    if (setting.at(0) == "selfplay.endgame.seeds") return std::atoi(setting.at(1).get<std::string>().c_str());
  }
  return 0;
}

nlohmann::ordered_json result_json(const TruthResult& result) {
  nlohmann::ordered_json json;
  if (result.seeds > 0) json["seeds"] = result.seeds;
  json["budget"] = result.budget;
  json["positions"] = result.positions;
  json["optimal_share"] = result.optimal_share;
  json["error_95"] = result.error_95;
  json["mean_seeds_lost"] = result.mean_seeds_lost;
  return json;
}

nlohmann::ordered_json results_json(const std::vector<TruthResult>& results) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const TruthResult& result : results) json.push_back(result_json(result));
  return json;
}

nlohmann::ordered_json report_json(const TruthReport& report, const Rules& rules, const EndgameTable& table) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (const CalibrationBin& bin : report.calibration) {
    const bool any = bin.positions > 0;
    const auto number = [any](double value) { return any ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr); };
    bins.push_back({{"low", bin.low}, {"high", bin.high}, {"positions", bin.positions}, {"predicted", number(bin.predicted)}, {"actual", number(bin.actual)}, {"error_95", number(bin.error_95)}});
  }
  return {{"rules", rules_name(rules)}, {"table", table.id()}, {"results", results_json(report.results)}, {"together", results_json(report.together)},
          {"from_games", results_json(report.from_games)}, {"calibration", bins}};
}

void print_report(const TruthReport& report, bool equal_moves, Output& out) {
  out.print("best moves, where {}; budget 0 is the raw policy\n", equal_moves ? "there is more than one move" : "one move keeps the win or the draw and another does not");
  out.print("{:>6} {:>7} {:>10} {:>16} {:>17}\n", "seeds", "budget", "positions", "optimal", "mean seeds lost");
  const auto print = [&](const std::string& seeds, const TruthResult& result) {
    out.print("{:>6} {:>7} {:>10} {:>7.1f} +-{:>4.1f} % {:>17.3f}\n", seeds, result.budget, result.positions, 100 * result.optimal_share, 100 * result.error_95, result.mean_seeds_lost);
  };
  for (const TruthResult& result : report.results) print(std::to_string(result.seeds), result);
  for (const TruthResult& result : report.together) print("all", result);
  for (const TruthResult& result : report.from_games) print("games", result);
  out.print("value (win minus loss), of positions from games: predicted by the network, and true by best play\n");
  for (const CalibrationBin& bin : report.calibration) {
    if (bin.positions > 0) out.print("{:+.1f} .. {:+.1f} {:>6} positions  predicted {:+.3f}  true {:+.3f} +- {:.3f}\n", bin.low, bin.high, bin.positions, bin.predicted, bin.actual, bin.error_95);
  }
}

TruthSettings settings_of(const EvaluateOptions& options, const CheckpointInfo& info, const EndgameTable& table) {
  TruthSettings settings;
  settings.rules = options.rules.empty() ? info.rules.front().first : parse_rules(options.rules);
  settings.workers = workers_or_cores(options.workers);
  settings.positions = options.positions;
  settings.seed = options.seed;
  settings.equal_moves = options.equal_moves;
  settings.seeds_high = table.seeds();
  settings.seeds_low = options.seeds_low > 0 ? options.seeds_low : std::max(seeds_looked_up(info) + 1, table.seeds() - 2);
  if (options.seeds_low == 0 && settings.seeds_low > table.seeds())
    throw Error(fmt::format("too small to tell what was learned: '{}', {} seeds: the training of this checkpoint built a table of as many itself: build one of {} seeds or more ('wari endgame build --rules {} --seeds {} --out FILE'), or say --seeds-low",
                            options.table, table.seeds(), settings.seeds_low, rules_name(settings.rules), settings.seeds_low + 2));
  return settings;
}

int run_evaluate(const EvaluateOptions& options, Output& out) {
  const std::vector<int> budgets = parse_budgets(options.budgets);
  const EndgameTable table = EndgameTable::open(options.table);
  const std::filesystem::path folder = resolve_checkpoint(options.checkpoint);
  const TruthSettings settings = settings_of(options, read_checkpoint_info(folder), table);
  CheckpointEvaluatorSettings wanted;
  wanted.rules = {settings.rules};
  const auto evaluator = load_checkpoint_evaluator(folder, wanted);
  StopRequest stop;
  SearchPlayerSettings search;
  search.workers = settings.workers;
  if (!options.player_table.empty()) search.tables.push_back(std::make_shared<EndgameTable>(EndgameTable::open(options.player_table)));
  const BudgetPlayer player = [&](int budget) {
    if (budget == 0) return make_policy_player("policy", evaluator->clone());
    search.visits = budget;
    return make_search_player(fmt::format("search of {}", budget), search, *evaluator);
  };
  Progress progress;
  progress.update("playing games and drawing boards for positions");
  const TruthPositions positions = truth_positions(table, settings);
  const std::string note = checkpoint_rules_note(folder, settings.rules);
  if (!note.empty()) log_warning("{}", note);
  const TruthReport report = measure_truth(positions, budgets, player, *evaluator, [&](double share) {
    progress.update(fmt::format("{:.0f} %", 100 * share));
    return !stop.requested();
  });
  progress.clear();
  if (!report.complete) return kSignalExit + stop.signal();
  if (!options.picture.empty()) write_file_durably(options.picture, truth_picture(report, fmt::format("{}, {}", options.checkpoint, rules_name(settings.rules))));
  print_report(report, settings.equal_moves, out);
  if (out.json()) out.document(report_json(report, settings.rules, table));
  return 0;
}

}  // namespace

void add_evaluate_command(CommandLine& line) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App& command = line.add("evaluate", "how often a checkpoint's move is perfect, by an endgame table", "wari evaluate --checkpoint runs/quickstart --table abapa-15.table --picture truth.svg",
                               [options](Output& out) { return run_evaluate(*options, out); });
  command.add_option("--checkpoint", options->checkpoint, "a checkpoint's folder, a run's (its newest), or RUN@best")->required();
  command.add_option("--table", options->table, "endgame table that knows the truth (wari endgame build), of more seeds than training looked up")->required();
  command.add_option("--budgets", options->budgets, "simulations a move, joined by commas; 0: the raw policy")->capture_default_str();
  command.add_option("--positions", options->positions, "for each number of seeds: half from games, half drawn from all boards")->check(CLI::Range(10, 1'000'000))->capture_default_str();
  command.add_option("--seeds-low", options->seeds_low, "fewest seeds on the board; default: the table's last three numbers that training did not look up")->check(CLI::Range(1, kMostTableSeeds));
  command.add_flag("--equal-moves", options->equal_moves, "also positions in which every move is worth the same, as play meets them");
  command.add_option("--rules", options->rules, "rule set; default: the checkpoint's first");
  command.add_option("--player-table", options->player_table, "a table that the checkpoint's search may look up; default: none");
  command.add_option("--picture", options->picture, "also draws the results into this SVG file");
  command.add_option("--seed", options->seed, "of the positions")->capture_default_str();
  command.add_option("--workers", options->workers, "threads; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
}

}  // namespace wari
