#include <algorithm>
#include <cmath>

#include "app/arena_options.h"
#include "arena/elo.h"
#include "core/growing_file.h"
#include "core/log.h"

namespace wari {
namespace {

constexpr int kMostGames = 10'000'000;
constexpr int kGamesWithTest = 100'000;  // at most, where --games was not given

struct MatchOptions {
  std::string a;
  std::string b;
  int games = 0;  // 0: not given
  std::string sprt;
  std::string ogn;  // file; empty: none
  ArenaOptions arena;
};

nlohmann::ordered_json seat_json(const GameCounts& counts) {
  return {{"games", counts.games()}, {"wins", counts.wins}, {"draws", counts.draws}, {"losses", counts.losses}, {"score", counts.score()}};
}

nlohmann::ordered_json sprt_json(const SequentialTest& test) {
  const SprtSettings& settings = test.settings();
  return {{"elo0", settings.elo0},
          {"elo1", settings.elo1},
          {"alpha", settings.alpha},
          {"beta", settings.beta},
          {"llr", test.log_likelihood_ratio()},
          {"lower", test.lower()},
          {"upper", test.upper()},
          {"decision", sprt_decision_name(test.decision())}};
}

nlohmann::ordered_json match_json(const Player& a, const Player& b, const MatchSettings& settings, const MatchResult& result) {
  nlohmann::ordered_json document = {{"a", a.name()},
                                     {"b", b.name()},
                                     {"a_version", a.version()},
                                     {"b_version", b.version()},
                                     {"rules", rules_name(settings.rules)},
                                     {"seed", settings.seed},
                                     {"openings", openings_name(settings)},
                                     {"opening_plies", settings.book.lines.empty() ? nlohmann::ordered_json(settings.opening_plies) : nullptr}};
  document.update({{"games", result.total.games()}, {"wins", result.total.wins}, {"draws", result.total.draws}, {"losses", result.total.losses}});
  document.update({{"score", result.total.score()}, {"elo", result.elo}, {"elo_error_95", result.elo_error_95}, {"distinct_games", result.distinct_games}});
  document["pairs_by_points"] = pairs_json(result.pairs);
  document["by_seat"] = {{"first", seat_json(result.first)}, {"second", seat_json(result.second)}};
  document["first_player"] = {{"score", result.first_player_score}, {"error_95", result.first_player_error_95}};
  document["forfeits"] = {{"a", forfeits_json(result.a_forfeits)}, {"b", forfeits_json(result.b_forfeits)}};
  document["sprt"] = result.sprt ? sprt_json(*result.sprt) : nullptr;
  document["mean_plies"] = result.mean_plies;
  document["complete"] = result.complete;
  document["seconds"] = result.seconds;
  return document;
}

std::string sprt_text(const SequentialTest& test) {
  const SprtSettings& settings = test.settings();
  const std::string question = fmt::format("H0: Elo {:+g}, H1: Elo {:+g}; LLR {:.2f} ({:.2f} to {:.2f})", settings.elo0, settings.elo1, test.log_likelihood_ratio(),
                                           test.lower(), test.upper());
  if (test.decision() == SprtDecision::none) return question + ": undecided";
  return question + fmt::format(": {} is accepted", sprt_decision_name(test.decision()));
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
  const Pentanomial& pairs = result.pairs;
  out.print("pairs by points 0, 1/2, 1, 3/2, 2: {}, {}, {}, {}, {}\n", pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
  if (result.sprt) out.print("{}\n", sprt_text(*result.sprt));
  if (result.a_forfeits.total() > 0) out.print("{} lost {}\n", options.a, forfeits_text(result.a_forfeits));
  if (result.b_forfeits.total() > 0) out.print("{} lost {}\n", options.b, forfeits_text(result.b_forfeits));
  out.print("{} distinct games of {}, {:.0f} plies on average, {:.1f} s\n", result.distinct_games, result.total.games(), result.mean_plies, result.seconds);
}

int run_match(const MatchOptions& options, Output& out) {
  StopRequest stop;
  MatchSettings settings = match_settings(options.arena);
  if (!options.sprt.empty()) settings.sprt = parse_sprt(options.sprt);
  settings.games = options.games > 0 ? options.games : settings.sprt ? kGamesWithTest : MatchSettings{}.games;
  const PlayerEnvironment environment = player_environment(options.arena, settings.rules, stop);
  const std::unique_ptr<Player> a = make_player(options.a, environment);
  const std::unique_ptr<Player> b = make_player(options.b, environment);
  std::unique_ptr<GrowingFile> ogn;
  if (!options.ogn.empty()) ogn = std::make_unique<GrowingFile>(options.ogn);
  std::vector<PlayedGame> games;
  Progress progress;
  const auto watch = [&](const MatchProgress& now) {
    progress.update(progress_text(now));
    return stop.signal() == 0;
  };
  const MatchResult result = play_match(settings, *a, *b, watch, ogn ? &games : nullptr);
  progress.clear();
  if (ogn) {
    ogn->append(match_ogn(games, a->name(), b->name()));
    ogn->publish();
  }
  if (!result.complete) log_warning("stopped: the result is of {} games of {}, {}", result.total.games(), settings.games,
                                     settings.sprt ? "in order of their number" : "those whose pair was finished; short games end first");
  if (result.total.games() >= 100 && std::abs(result.first_player_score - 0.5) > 0.4) {
    log_warning("whoever moved first scored {:.0f} %: openings or rules decide these games, not the players", 100 * result.first_player_score);
  }
  if (result.total.games() >= 100 && result.distinct_games < 0.9 * result.total.games()) {
    log_warning("{} of {} games were repeats of others, so the result is less certain than its error says: give more openings", result.total.games() - result.distinct_games,
                result.total.games());
  }
  print_match(options, result, out);
  if (out.json()) out.document(match_json(*a, *b, settings, result));
  return result.complete ? 0 : kSignalExit + stop.signal();
}

}  // namespace

void add_match_command(CommandLine& line) {
  const auto options = std::make_shared<MatchOptions>();
  CLI::App& command = line.add("match", "plays two players against each other over paired openings",
                               "wari match --a search:checkpoint=runs/quickstart,visits=64 --b alphabeta:depth=8 --games 400 --rules abapa",
                               [options](Output& out) { return run_match(*options, out); });
  command.add_option("--a", options->a, players_help())->required();
  command.add_option("--b", options->b, "likewise; results are given from A's side")->required();
  command.add_option("--games", options->games,
                     fmt::format("games, an even number: each opening is played from both seats; 400, or with --sprt at most {}", kGamesWithTest))
      ->check(CLI::Range(2, kMostGames));
  command.add_option("--sprt", options->sprt,
                     "sequential test: ends the match once it is decided whether A is elo0 (H0) or elo1 (H1) stronger, wrong with chance alpha where H0 is true, beta where "
                     "H1 is: elo0=0,elo1=10,alpha=0.05,beta=0.05");
  command.add_option("--ogn", options->ogn, "file that gets the games, as text that Oware programs read (docs/ogn.md)");
  add_arena_options(command, options->arena);
}

}  // namespace wari
