#include <algorithm>
#include <utility>

#include "app/arena_options.h"
#include "app/rating_table.h"
#include "core/growing_file.h"
#include "core/log.h"

namespace wari {
namespace {

struct TournamentOptions {
  std::vector<std::string> players;
  int games = 200;
  std::vector<std::string> anchors;
  std::string database;
  std::string ogn;  // file; empty: none
  ArenaOptions arena;
};

// Anchors as they were typed, under the names that the players have: "alphabeta" is "alphabeta:depth=6".
std::map<std::string, double> anchors_of(const TournamentOptions& options, const std::vector<std::unique_ptr<Player>>& players) {
  std::map<std::string, double> anchors;
  for (const auto& [typed, elo] : parse_anchors(options.anchors)) {
    const auto place = std::find(options.players.begin(), options.players.end(), typed);
    anchors.emplace(place == options.players.end() ? typed : players[static_cast<std::size_t>(place - options.players.begin())]->name(), elo);
  }
  return anchors;
}

nlohmann::ordered_json tournament_json(const TournamentSettings& settings, const TournamentResult& result) {
  nlohmann::ordered_json pairings = nlohmann::ordered_json::array();
  for (const TournamentPairing& pairing : result.pairings) {
    pairings.push_back(pairing_json(pairing.match));
    pairings.back()["was_stored"] = pairing.was_stored;
  }
  return {{"rules", rules_name(settings.match.rules)},
          {"openings", openings_name(settings.match)},
          {"games_per_pairing", settings.match.games},
          {"seed", settings.match.seed},
          {"draw_parameter", result.ratings.draw_parameter},
          {"players", ratings_json(result.ratings, result.pairings)},
          {"pairings", pairings},
          {"warnings", result.ratings.warnings},
          {"complete", result.complete},
          {"seconds", result.seconds}};
}

void print_tournament(const TournamentResult& result, Output& out) {
  print_ratings(result.ratings, result.pairings, out);
  out.print("\n");
  print_cross_table(result.ratings, result.pairings, out);
  for (const TournamentPairing& pairing : result.pairings) {
    const StoredMatch& match = pairing.match;
    if (match.a_forfeits.total() > 0) out.print("{} lost {} against {}\n", match.a, forfeits_text(match.a_forfeits), match.b);
    if (match.b_forfeits.total() > 0) out.print("{} lost {} against {}\n", match.b, forfeits_text(match.b_forfeits), match.a);
  }
}

int run_tournament(const TournamentOptions& options, Output& out) {
  StopRequest stop;
  TournamentSettings settings;
  settings.match = match_settings(options.arena);
  settings.match.games = options.games;
  const PlayerEnvironment environment = player_environment(options.arena, settings.match.rules, stop);
  std::vector<std::unique_ptr<Player>> players;
  for (const std::string& text : options.players) players.push_back(make_player(text, environment));
  settings.anchors = anchors_of(options, players);
  std::unique_ptr<ResultsDatabase> database;
  if (!options.database.empty()) database = std::make_unique<ResultsDatabase>(options.database);
  std::unique_ptr<GrowingFile> ogn;
  if (!options.ogn.empty()) ogn = std::make_unique<GrowingFile>(options.ogn);
  Progress progress;
  const auto watch = [&](const TournamentProgress& now) {
    progress.update(progress_text(now));
    return !stop.requested();
  };
  bool first = true;
  const auto keep_games = [&](const std::string& a, const std::string& b, std::span<const PlayedGame> games) {
    if (ogn) ogn->append((std::exchange(first, false) ? "" : "\n") + match_ogn(games, a, b));
  };
  const TournamentResult result = play_tournament(settings, players, database.get(), watch, ogn ? PairingGames(keep_games) : PairingGames());
  progress.clear();
  if (ogn) ogn->publish();
  for (const std::string& warning : result.ratings.warnings) log_warning("{}", warning);
  if (!result.complete) {
    log_warning("stopped after {} of {} pairings{}", result.pairings.size(), players.size() * (players.size() - 1) / 2,
                database ? ": the same command goes on" : "; with --database they would be kept, and the same command would go on");
  }
  print_tournament(result, out);
  if (out.json()) out.document(tournament_json(settings, result));
  return result.complete ? 0 : kSignalExit + stop.signal();
}

}  // namespace

void add_tournament_command(CommandLine& line) {
  const auto options = std::make_shared<TournamentOptions>();
  CLI::App& command =
      line.add("tournament", "a round robin: everyone plays everyone, and all games are rated together",
               "wari tournament --player search:checkpoint=runs/quickstart,visits=64 --player alphabeta:depth=6 --player alphabeta:depth=8 --games 200 "
               "--anchor alphabeta:depth=6=1000 --database tournament.sqlite",
               [options](Output& out) { return run_tournament(*options, out); });
  command.add_option("--player", options->players, "one of the players, twice or more: " + players_help())->required()->allow_extra_args(false);
  command.add_option("--games", options->games, "games of each pairing, an even number: each opening is played from both seats")
      ->check(CLI::Range(2, 10'000'000))
      ->capture_default_str();
  command.add_option("--anchor", options->anchors, "PLAYER=ELO: this player stands at that Elo; any number of times; without one the mean of all is 0")
      ->allow_extra_args(false);
  command.add_option("--database", options->database, "file that keeps every finished pairing; those in it are not played again");
  command.add_option("--ogn", options->ogn, "file that gets the games that are played now, as text that Oware programs read (docs/ogn.md)");
  add_arena_options(command, options->arena);
}

}  // namespace wari
