#include "app/rating_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/arena_options.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

std::vector<Rating> best_first(const Ratings& ratings) {
  std::vector<Rating> players = ratings.players;
  std::stable_sort(players.begin(), players.end(), [](const Rating& a, const Rating& b) { return a.elo > b.elo; });
  return players;
}

}  // namespace

std::map<std::string, double> parse_anchors(const std::vector<std::string>& anchors) {
  std::map<std::string, double> parsed;
  for (const std::string& text : anchors) {
    const std::size_t equals = text.rfind('=');
    double elo = 0;
    const char* const end = text.data() + text.size();
    const bool is_number = equals != std::string::npos && std::from_chars(text.data() + equals + 1, end, elo) == std::from_chars_result{end, std::errc()};
    if (!is_number || !std::isfinite(elo) || std::fabs(elo) > 1e5)
      throw Error("no anchor: --anchor " + quote(text) + ": write PLAYER=ELO, 'random=0' for instance");
    if (!parsed.emplace(text.substr(0, equals), elo).second) throw Error("an anchor given twice: --anchor " + quote(text) + ": keep one of them");
  }
  return parsed;
}

void print_ratings(const Ratings& ratings, const std::vector<TournamentPairing>& pairings, Output& out) {
  out.print("{:>4}  {:>7}  {:>6}  {:>7}  {:>7}  {}\n", "rank", "Elo", "+-", "games", "score", "player");
  int rank = 0;
  for (const Rating& rating : best_first(ratings)) {
    const std::string error = rating.anchored ? "fixed" : fmt::format("{:.0f}", rating.error_95);
    out.print("{:>4}  {:>+7.0f}  {:>6}  {:>7}  {:>5.1f} %  {}\n", ++rank, rating.elo, error, rating.games, 100 * games_of(pairings, rating.player).score(),
              rating.player);
  }
  out.print("+-: half of the 95 % interval; {:.0f} % of the games between equals are drawn\n", 100 * ratings.draw_parameter / (2 + ratings.draw_parameter));
}

void print_cross_table(const Ratings& ratings, const std::vector<TournamentPairing>& pairings, Output& out) {
  const std::vector<Rating> players = best_first(ratings);
  std::string head = "score";
  for (std::size_t i = 0; i < players.size(); ++i) head += fmt::format("  {:>5}", i + 1);
  out.print("{}\n", head);
  for (std::size_t i = 0; i < players.size(); ++i) {
    std::string line = fmt::format("{:>5}", i + 1);
    for (const Rating& other : players) {
      const GameCounts games = games_between(pairings, players[i].player, other.player);
      line += games.games() == 0 ? fmt::format("  {:>5}", "-") : fmt::format("  {:>5.1f}", 100 * games.score());
    }
    out.print("{}\n", line);
  }
}

nlohmann::ordered_json ratings_json(const Ratings& ratings, const std::vector<TournamentPairing>& pairings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Rating& rating : best_first(ratings)) {
    const GameCounts games = games_of(pairings, rating.player);
    list.push_back({{"player", rating.player},
                    {"elo", rating.elo},
                    {"elo_error_95", rating.error_95},
                    {"anchored", rating.anchored},
                    {"connected", rating.connected},
                    {"games", games.games()},
                    {"wins", games.wins},
                    {"draws", games.draws},
                    {"losses", games.losses},
                    {"score", games.score()}});
  }
  return list;
}

nlohmann::ordered_json pairing_json(const StoredMatch& match) {
  const GameCounts total = match.first + match.second;
  return {{"a", match.a},
          {"b", match.b},
          {"a_version", match.a_version},
          {"b_version", match.b_version},
          {"rules", match.rules},
          {"openings", match.openings},
          {"games", total.games()},
          {"wins", total.wins},
          {"draws", total.draws},
          {"losses", total.losses},
          {"score", total.score()},
          {"elo", match.elo},
          {"elo_error_95", match.elo_error_95},
          {"pairs_by_points", pairs_json(match.pairs)},
          {"forfeits", {{"a", forfeits_json(match.a_forfeits)}, {"b", forfeits_json(match.b_forfeits)}}},
          {"version", match.version},
          {"unix_time_s", match.unix_time_s}};
}

}  // namespace wari
