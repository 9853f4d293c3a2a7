#include <charconv>
#include <cmath>
#include <utility>

#include "arena/player.h"
#include "core/error.h"
#include "core/nearest.h"
#include "search/alphabeta.h"

namespace wari {
namespace {

const std::vector<std::pair<std::string, std::vector<std::string>>>& known_players() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> players = {
      {"random", {}},
      {"greedy", {}},
      {"alphabeta", {"depth"}},
      {"rollouts", {"visits", "c_puct"}},
      {"search", {"checkpoint", "visits", "algorithm", "c_puct", "fpu_reduction", "root_uniform_share", "precision", "table"}},
      {"policy", {"checkpoint", "precision"}},
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

[[noreturn]] void bad_value(const std::string& key, const std::string& value, const std::string& wanted) {
  throw Error("bad value " + quote(value) + ": option '" + key + "' of a player: give " + wanted);
}

template <class Number>
Number number_option(const PlayerDescription& player, const std::string& key, Number otherwise, Number low, Number high) {
  const auto found = player.options.find(key);
  if (found == player.options.end()) return otherwise;
  const std::string& text = found->second;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool in_range = error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;  // false for NaN
  if (!in_range) {
    std::string wanted = std::is_integral_v<Number> ? "a whole number from " : "a number from ";
    wanted += std::is_integral_v<Number> ? std::to_string(static_cast<long long>(low)) + " to " + std::to_string(static_cast<long long>(high))
                                         : std::to_string(static_cast<double>(low)) + " to " + std::to_string(static_cast<double>(high));
    bad_value(key, text, wanted);
  }
  return value;
}

std::string text_option(const PlayerDescription& player, const std::string& key, const std::string& otherwise) {
  const auto found = player.options.find(key);
  return found == player.options.end() ? otherwise : found->second;
}

std::unique_ptr<Evaluator> checkpoint_evaluator(const PlayerDescription& player, std::string_view text, const PlayerEnvironment& environment) {
  const std::string path = text_option(player, "checkpoint", "");
  if (path.empty()) throw Error("a player without checkpoint: " + quote(text) + ": add 'checkpoint=' and a checkpoint's or a run's folder");
  if (!environment.load_evaluator) throw Error("no checkpoint can be read here: " + quote(text) + ": choose a player without one");
  return environment.load_evaluator(path, text_option(player, "precision", "auto"));
}

constexpr int kMostVisits = 100'000'000;

SearchPlayerSettings search_settings(const PlayerDescription& player, const PlayerEnvironment& environment, int visits) {
  SearchPlayerSettings settings;
  settings.visits = number_option(player, "visits", visits, 1, kMostVisits);
  settings.search.c_puct = number_option(player, "c_puct", settings.search.c_puct, 0.01, 20.0);
  settings.search.fpu_reduction = number_option(player, "fpu_reduction", settings.search.fpu_reduction, 0.0, 2.0);
  settings.search.root_uniform_share = number_option(player, "root_uniform_share", settings.search.root_uniform_share, 0.0, 1.0);
  if (player.options.contains("table")) settings.tables.push_back(std::make_shared<EndgameTable>(EndgameTable::open(player.options.at("table"))));
  settings.lanes = environment.lanes;
  settings.workers = environment.workers;
  const std::string algorithm = text_option(player, "algorithm", "puct");
  if (algorithm != "puct" && algorithm != "gumbel") bad_value("algorithm", algorithm, "'puct' or 'gumbel'");
  settings.search.algorithm = algorithm == "gumbel" ? Algorithm::gumbel : Algorithm::puct;
  return settings;
}

}  // namespace

PlayerDescription parse_player(std::string_view text) {
  PlayerDescription player;
  const std::size_t colon = text.find(':');
  player.kind = std::string(text.substr(0, colon));
  const std::vector<std::string>& known = known_options(player.kind, text);
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    const std::string key(word.substr(0, equals));
    if (known.empty()) throw Error("unknown option " + quote(key) + ": player " + quote(text) + ": '" + player.kind + "' has none");
    bool is_known = false;
    for (const std::string& name : known) is_known |= name == key;
    if (!is_known) throw Error("unknown option " + quote(key) + ": player " + quote(text) + ": " + suggestion(key, known));
    if (equals == std::string_view::npos || equals + 1 == word.size())
      throw Error("an option without value: " + quote(word) + " in player " + quote(text) + ": write '" + key + "=VALUE'");
    if (!player.options.emplace(key, word.substr(equals + 1)).second)
      throw Error("an option given twice: " + quote(key) + " in player " + quote(text) + ": keep one of them");
  }
  return player;
}

std::unique_ptr<Player> make_player(std::string_view text, const PlayerEnvironment& environment) {
  const PlayerDescription player = parse_player(text);
  if (player.kind == "random") return make_random_player();
  if (player.kind == "greedy") return make_greedy_player();
  if (player.kind == "alphabeta") return make_alphabeta_player(number_option(player, "depth", 6, 1, kAlphaBetaMaxDepth), environment.workers);
  if (player.kind == "policy") return make_policy_player(std::string(text), checkpoint_evaluator(player, text, environment));
  if (player.kind == "rollouts") {
    SearchPlayerSettings settings = search_settings(player, environment, 1000);
    if (!player.options.contains("c_puct")) settings.search.c_puct = SearchSettings{}.c_puct;  // single playouts are noisy: explore as in self-play
    return make_search_player(std::string(text), settings, *make_rollout_evaluator(environment.seed));
  }
  const SearchPlayerSettings settings = search_settings(player, environment, 64);
  PlayerEnvironment own = environment;
  if (environment.load_device_evaluator) own.load_evaluator = environment.load_device_evaluator;
  return make_search_player(std::string(text), settings, *checkpoint_evaluator(player, text, own));
}

}  // namespace wari
