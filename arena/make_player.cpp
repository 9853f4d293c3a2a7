#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "arena/option_list.h"
#include "arena/player.h"
#include "arena/uci_engine.h"
#include "core/error.h"
#include "core/nearest.h"
#include "search/alphabeta.h"
#include "search/thinker.h"

namespace wari {
namespace {

const std::vector<std::pair<std::string, std::vector<std::string>>>& known_players() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> players = {
      {"random", {}},
      {"greedy", {}},
      {"alphabeta", {"depth"}},
      {"rollouts", {"visits", "c_puct"}},
      {"search", {"checkpoint", "visits", "algorithm", "c_puct", "c_puct_log_base", "fpu_reduction", "root_uniform_share", "precision", "table", "table_search"}},
      {"think", {"checkpoint", "visits", "c_puct", "c_puct_log_base", "fpu_reduction", "root_uniform_share", "batch", "visits_a_leaf", "virtual_loss", "precision", "table", "table_search"}},
      {"policy", {"checkpoint", "precision"}},
      {"uci", {"command", "movetime_ms", "depth", "time_ms", "increment_ms", "margin_ms", "start_ms"}},
  };
  return players;
}

const std::vector<std::string>& known_options(const std::string& kind, std::string_view text) {
  std::vector<std::string> kinds;
  for (const auto& [name, options] : known_players()) {
    if (name == kind) return options;
    kinds.push_back(name);
  }
  throw Error("unknown player " + quote(kind) + ": player " + quote(text) + ": " + suggestion(kind, kinds));
}

constexpr const char* kWhose = "a player";  // in messages about options

std::unique_ptr<Evaluator> checkpoint_evaluator(const PlayerDescription& player, std::string_view text, const PlayerEnvironment& environment) {
  const std::string path = text_option(player.options, "checkpoint", "");
  if (path.empty()) throw Error("a player without checkpoint: " + quote(text) + ": add 'checkpoint=' and a checkpoint's or a run's folder");
  if (!environment.load_evaluator) throw Error("no checkpoint can be read here: " + quote(text) + ": choose a player without one");
  return environment.load_evaluator(path, text_option(player.options, "precision", "auto"));
}

constexpr int kMostVisits = 100'000'000;

SearchPlayerSettings search_settings(const PlayerDescription& player, const PlayerEnvironment& environment, int visits) {
  SearchPlayerSettings settings;
  settings.visits = whole_option(player.options, "visits", visits, 1, kMostVisits, kWhose);
  settings.search.c_puct = real_option(player.options, "c_puct", settings.search.c_puct, 0.01, 20.0, kWhose);
  settings.search.c_puct_log_base = real_option(player.options, "c_puct_log_base", settings.search.c_puct_log_base, 0.0, 1e9, kWhose);
  settings.search.fpu_reduction = real_option(player.options, "fpu_reduction", settings.search.fpu_reduction, 0.0, 2.0, kWhose);
  settings.search.root_uniform_share = real_option(player.options, "root_uniform_share", settings.search.root_uniform_share, 0.0, 1.0, kWhose);
  if (player.options.contains("table")) settings.tables.push_back(std::make_shared<EndgameTable>(EndgameTable::open(player.options.at("table"))));
  const std::string table_search = text_option(player.options, "table_search", "all");
  if (table_search != "proven" && table_search != "all") bad_option_value("table_search", table_search, kWhose, "'proven' or 'all'");
  settings.table_search = table_search == "all" ? TableSearch::all : TableSearch::proven;
  settings.lanes = environment.lanes;
  settings.workers = environment.workers;
  const std::string algorithm = text_option(player.options, "algorithm", "puct");
  if (algorithm != "puct" && algorithm != "gumbel") bad_option_value("algorithm", algorithm, kWhose, "'puct' or 'gumbel'");
  settings.search.algorithm = algorithm == "gumbel" ? Algorithm::gumbel : Algorithm::puct;
  return settings;
}

std::unique_ptr<Player> think_player(const PlayerDescription& player, std::string_view text, const PlayerEnvironment& environment) {
  const SearchPlayerSettings search = search_settings(player, environment, 1600);
  ThinkerSettings settings;
  settings.search = search.search;
  settings.tables = search.tables;
  settings.table_search = search.table_search;
  settings.batch = whole_option(player.options, "batch", settings.batch, 0, 4096, kWhose);
  settings.visits_a_leaf = whole_option(player.options, "visits_a_leaf", settings.visits_a_leaf, 1, 1'000'000, kWhose);
  settings.virtual_loss = real_option(player.options, "virtual_loss", settings.virtual_loss, 0.0, 10.0, kWhose);
  return make_think_player(std::string(text), search.visits, settings, environment.workers, *checkpoint_evaluator(player, text, environment));
}

UciSettings uci_settings(const PlayerDescription& player, std::string_view text) {
  constexpr int kMostMs = 86'400'000;  // a day
  UciSettings settings;
  settings.command = text_option(player.options, "command", "");
  if (settings.command.empty()) throw Error("a player without program: " + quote(text) + ": add 'command=' and the path of an executable or a script");
  settings.depth = whole_option(player.options, "depth", 0, 1, 1000, kWhose);
  settings.time_ms = whole_option(player.options, "time_ms", 0, 1, kMostMs, kWhose);
  settings.increment_ms = whole_option(player.options, "increment_ms", 0, 0, kMostMs, kWhose);
  if (settings.time_ms > 0 && player.options.contains("movetime_ms")) throw Error("a clock and a time for each move: " + quote(text) + ": give 'time_ms' or 'movetime_ms'");
  if (settings.time_ms == 0 && player.options.contains("increment_ms")) throw Error("an increment without a clock: " + quote(text) + ": add 'time_ms='");
  const bool has_limit = settings.depth > 0 || settings.time_ms > 0;
  settings.movetime_ms = whole_option(player.options, "movetime_ms", has_limit ? 0 : 1000, 1, kMostMs, kWhose);
  settings.margin_ms = whole_option(player.options, "margin_ms", settings.time_ms > 0 ? 0 : settings.margin_ms, 0, kMostMs, kWhose);
  settings.start_ms = whole_option(player.options, "start_ms", settings.start_ms, 1, kMostMs, kWhose);
  return settings;
}

std::unique_ptr<Player> with_version(std::unique_ptr<Player> player, const PlayerDescription& description, const PlayerEnvironment& environment) {
  if (environment.checkpoint_version) player->set_version(environment.checkpoint_version(text_option(description.options, "checkpoint", "")));
  return player;
}

}  // namespace

PlayerDescription parse_player(std::string_view text) {
  PlayerDescription player;
  const std::size_t colon = text.find(':');
  player.kind = std::string(text.substr(0, colon));
  const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  player.options = parse_option_list(options, known_options(player.kind, text), "player " + quote(text));
  return player;
}

void check_player(std::string_view text) {
  const PlayerDescription player = parse_player(text);
  if (player.kind != "uci") return;
  const UciSettings settings = uci_settings(player, text);
  if (::access(settings.command.c_str(), X_OK) != 0)
    throw Error("cannot run a program (" + std::string(std::strerror(errno)) + "): " + quote(settings.command) + ": check the path, and that it is executable");
}

std::unique_ptr<Player> make_player(std::string_view text, const PlayerEnvironment& environment) {
  const PlayerDescription player = parse_player(text);
  if (player.kind == "random") return make_random_player();
  if (player.kind == "greedy") return make_greedy_player();
  if (player.kind == "alphabeta") return make_alphabeta_player(whole_option(player.options, "depth", 6, 1, kAlphaBetaMaxDepth, kWhose), environment.workers);
  if (player.kind == "policy") return with_version(make_policy_player(std::string(text), checkpoint_evaluator(player, text, environment)), player, environment);
  if (player.kind == "uci") return make_uci_player(std::string(text), uci_settings(player, text), environment);
  if (player.kind == "think") return with_version(think_player(player, text, environment), player, environment);
  if (player.kind == "rollouts") {
    SearchPlayerSettings settings = search_settings(player, environment, 1000);
    if (!player.options.contains("c_puct")) settings.search.c_puct = SearchSettings{}.c_puct;  // single playouts are noisy: explore as in self-play
    return make_search_player(std::string(text), settings, *make_rollout_evaluator(environment.seed));
  }
  const SearchPlayerSettings settings = search_settings(player, environment, 64);
  PlayerEnvironment own = environment;
  if (environment.load_device_evaluator) own.load_evaluator = environment.load_device_evaluator;
  return with_version(make_search_player(std::string(text), settings, *checkpoint_evaluator(player, text, own)), player, environment);
}

}  // namespace wari
