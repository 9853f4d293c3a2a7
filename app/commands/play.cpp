#include <unistd.h>

#include <charconv>

#include "app/commands.h"
#include "app/terminal/line_input.h"
#include "app/terminal/play_session.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "train/stop_request.h"

namespace wari {
namespace {

struct PlayOptions {
  SessionSettings play;
  std::string rules, side = "south", strength = "full";
  std::int64_t visits = 0;
};

Strength parse_strength(const std::string& text) {
  if (text == "full") return {};
  int elo = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), elo);
  if (error != std::errc() || rest != text.data() + text.size() || elo < kLowestElo || elo > kHighestElo)
    throw Error(fmt::format("no strength: --strength {}: give full, or an Elo from {} (random moves) to {}", quote(text), kLowestElo, kHighestElo));
  return strength_of_elo(elo);
}

SessionSettings settings_of(const PlayOptions& options) {
  SessionSettings settings = options.play;
  if (!options.rules.empty()) settings.engine.rules = parse_rules(options.rules);
  settings.side = options.side == "north" ? HumanSide::north : options.side == "both" ? HumanSide::both : HumanSide::south;
  settings.strength = parse_strength(options.strength);
  if (options.visits > 0) settings.visits = options.visits;
  settings.prompt = ::isatty(STDIN_FILENO) != 0;
  settings.style = terminal_style();
  return settings;
}

nlohmann::ordered_json play_json(const PlaySession& session) {
  const Game& game = session.game();
  const SideStores stores = side_stores(game);
  return {{"rules", rules_name(game.rules())},
          {"start", position_text(game.start())},
          {"moves", line_text(game)},
          {"position", position_text(game.position())},
          {"over", session.finished()},
          {"stores", {stores.south_half_seeds / 2.0, stores.north_half_seeds / 2.0}},
          {"result", session.result()}};
}

int run_play(const PlayOptions& options, Output& out) {
  StopRequest stop;
  SessionSettings settings = settings_of(options);
  settings.prompt = settings.prompt && !out.json();
  const auto stopped = [&stop] { return stop.requested(); };
  PlaySession session(settings, [&out](std::string_view text) { out.print("{}", text); }, stopped);
  session.start();
  LineInput input(STDIN_FILENO);
  while (const std::optional<std::string> line = input.next(stopped)) {
    if (!session.handle(*line)) break;
  }
  if (settings.prompt) out.print("\n");
  if (out.json()) out.document(play_json(session));
  return stop.requested() ? kSignalExit + stop.signal() : 0;
}

}  // namespace

void add_play_command(CommandLine& line) {
  const auto options = std::make_shared<PlayOptions>();
  CLI::App& command = line.add("play", "a board to play in the terminal, against the engine or another person", "wari play --checkpoint runs/quickstart --side north --seconds 2",
                               [options](Output& out) { return run_play(*options, out); });
  SessionSettings& play = options->play;
  command.add_option("--checkpoint", play.engine.checkpoint, "a checkpoint's folder, a run's (its newest), or RUN@best; without one random games judge");
  command.add_option("--rules", options->rules, "rule set: a preset, options after commas, or @file.yaml; default: those of the checkpoint, or abapa");
  command.add_option("--side", options->side, "yours: south (moves first), north, or both for two people")->check(CLI::IsMember({"south", "north", "both"}))->capture_default_str();
  CLI::Option* visits = command.add_option("--visits", options->visits, "simulations of a move")->check(CLI::Range(std::int64_t{1}, std::int64_t{2'000'000'000}));
  command.add_option("--seconds", play.seconds, "time for a move")->check(number_in(0.01, 3600))->excludes(visits)->capture_default_str();
  command.add_option("--strength", options->strength, fmt::format("full, or an Elo from {} to {}", kLowestElo, kHighestElo))->capture_default_str();
  CLI::Option* position = command.add_option("--position", play.position, "to begin from; default: the start");
  command.add_option("--load", play.load, "OGN file whose first game is gone on with")->excludes(position);
  command.add_option("--save", play.save, "OGN file that keeps the game, written after each move");
  command.add_option("--table", play.engine.table, "endgame table of the rules; default: the largest of the checkpoint's run")->default_str("");
  command.add_option("--threads", play.engine.threads, "0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--seed", play.seed, "of moves that are drawn")->capture_default_str();
}

}  // namespace wari
