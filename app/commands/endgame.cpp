#include <algorithm>

#include "app/commands.h"
#include "core/error.h"
#include "core/game.h"
#include "core/log.h"
#include "core/notation.h"
#include "endgame/build.h"
#include "endgame/endgame_rules.h"
#include "endgame/table.h"
#include "train/stop_request.h"

namespace wari {
namespace {

constexpr std::uint64_t kVerifiedBoards = 5'000'000;  // at most: some seconds

struct EndgameOptions {
  std::string rules = "abapa";
  int seeds = 12;
  std::string file;
  int workers = 0;
  std::string position;
};

int run_build(const EndgameOptions& options, Output& out) {
  const int workers = workers_or_cores(options.workers);
  const EndgameBuild build{parse_rules(options.rules), options.seeds, options.file, workers};
  StopRequest stop;
  double seconds = 0;
  Progress line;
  const EndgameBuildEnd end = build_endgame_table(build, [&](const EndgameBuildProgress& now) {
    seconds = now.seconds;
    line.update(fmt::format("{} seeds, {:.0f} % of all boards, {:.0f} s left", now.seeds, 100 * now.share, now.seconds_left));
    return !stop.requested();
  });
  line.clear();
  if (end == EndgameBuildEnd::stopped) {
    log_warning("stopped: the same command goes on with '{}.building'", options.file);
    return kSignalExit + stop.signal();
  }
  const EndgameTable table = EndgameTable::open(build.file);
  out.print("{} boards of up to {} seeds for {} in '{}', {:.1f} s{}\n", table.boards(), table.seeds(), rules_name(table.rules()), options.file, seconds,
            end == EndgameBuildEnd::was_there ? ": it was there already" : "");
  if (out.json()) out.document({{"rules", rules_name(table.rules())}, {"seeds", table.seeds()}, {"positions", table.boards()}, {"seconds", seconds}});
  return 0;
}

int run_verify(const EndgameOptions& options, Output& out) {
  EndgameCheck check;
  try {
    check = check_endgames(EndgameTable::open(options.file), kVerifiedBoards);
  } catch (const Error& damaged) {
    if (!std::filesystem::is_regular_file(options.file)) throw;
    check.fault = damaged.what();
  }
  if (out.json()) out.document({{"ok", check.fault.empty()}, {"checked", check.checked}, {"fault", check.fault.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(check.fault)}});
  if (!check.fault.empty()) throw Error(check.fault, ErrorKind::check_failed);
  out.print("{} boards compared with their successors: all agree\n", check.checked);
  return 0;
}

int run_stats(const EndgameOptions& options, Output& out) {
  const EndgameTable table = EndgameTable::open(options.file);
  out.print("{}, up to {} seeds; values for the player to move, a cycle paid as an even split; exact: whatever a cycle pays\n", rules_name(table.rules()), table.seeds());
  out.print("{:>5} {:>12} {:>12} {:>12} {:>12} {:>8}\n", "seeds", "boards", "win", "draw", "loss", "exact");
  nlohmann::ordered_json counts = nlohmann::ordered_json::array();
  for (const EndgameCount& count : count_endgames(table)) {
    const double exact = static_cast<double>(count.exact) / static_cast<double>(count.boards());
    out.print("{:>5} {:>12} {:>12} {:>12} {:>12} {:>6.2f} %\n", count.seeds, count.boards(), count.win, count.draw, count.loss, 100 * exact);
    counts.push_back({{"seeds", count.seeds}, {"positions", count.boards()}, {"win", count.win}, {"draw", count.draw}, {"loss", count.loss}, {"exact_share", exact}});
  }
  if (out.json()) out.document({{"rules", rules_name(table.rules())}, {"counts", counts}});
  return 0;
}

// The number of seeds in all is not the table's: any position whose seeds fit one of the rule sets is taken.
Position probed_position(const std::string& text, const Rules& rules) {
  Rules sized = rules;
  for (int seeds_per_pit = 1; seeds_per_pit <= 6; ++seeds_per_pit) {
    sized.seeds_per_pit = static_cast<std::uint8_t>(seeds_per_pit);
    try {
      return parse_position(text, sized);
    } catch (const Error&) {
    }
  }
  return parse_position(text, rules);  // says what is wrong
}

int run_probe(const EndgameOptions& options, Output& out) {
  const EndgameTable table = EndgameTable::open(options.file);
  const Position position = probed_position(options.position, table.rules());
  if (!table.view().holds(position))
    throw Error(fmt::format("{} seeds on the board: '{}': the table '{}' holds up to {}", row_seeds(position.mover) + row_seeds(position.opponent), options.position, options.file, table.seeds()));
  const EndgameValue value = table.view().value(position);
  const auto kind = [](bool exact) { return exact ? "exact" : "a cycle paid as an even split"; };
  out.print("{}\n{:+} seeds for {}, {}\n", board_text(position), value.seeds, north_moves(position) ? "North" : "South", kind(value.exact));
  nlohmann::ordered_json moves = nlohmann::ordered_json::array();
  for (const EndgameMove& move : endgame_moves(table, position)) {
    out.print("{:<2} {:+3}  {}\n", move_text(position, move.action), move.seeds, kind(move.exact));
    moves.push_back({{"move", move_text(position, move.action)}, {"value", move.seeds}, {"exact", move.exact}});
  }
  if (out.json()) out.document({{"position", position_text(position)}, {"rules", rules_name(table.rules())}, {"value", value.seeds}, {"exact", value.exact}, {"moves", moves}});
  return 0;
}

}  // namespace

void add_endgame_command(CommandLine& line) {
  CLI::App& group = line.add_group("endgame", "tables of solved endgames: build, verify, stats, probe");
  const auto options = std::make_shared<EndgameOptions>();
  CLI::App& build = line.add_to(group, "build", "solves every position of up to N seeds; continues what a killed build left",
                                "wari endgame build --rules abapa --seeds 12 --out abapa-12.table", [options](Output& out) { return run_build(*options, out); });
  build.add_option("--rules", options->rules, "rule set of a single lap; its capture, grand_slam and no_feeding_move count")->capture_default_str();
  build.add_option("--seeds", options->seeds, "seeds on the board, at most; each more takes 1.7 times as long")->check(CLI::Range(1, kMostTableSeeds))->capture_default_str();
  build.add_option("--out", options->file, "the table's file")->required();
  build.add_option("--workers", options->workers, "threads; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  CLI::App& verify = line.add_to(group, "verify", "checksums and, on a sample, every value against its successors", "wari endgame verify abapa-12.table",
                                 [options](Output& out) { return run_verify(*options, out); });
  CLI::App& stats = line.add_to(group, "stats", "wins, draws and losses for each number of seeds", "wari endgame stats abapa-12.table",
                                [options](Output& out) { return run_stats(*options, out); });
  CLI::App& probe = line.add_to(group, "probe", "what a position and its moves are worth", "wari endgame probe abapa-12.table --position 0-0-0-1-0-2-1-0-0-0-0-1-22-21-S",
                                [options](Output& out) { return run_probe(*options, out); });
  for (CLI::App* command : {&verify, &stats, &probe}) command->add_option("FILE", options->file, "a table that 'wari endgame build' made")->required();
  probe.add_option("--position", options->position, "position; stores play no part")->required();
}

}  // namespace wari
