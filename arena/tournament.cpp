#include "arena/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "arena/name_number.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/random.h"

namespace wari {
namespace {

void check(const TournamentSettings& settings, const std::vector<std::unique_ptr<Player>>& players) {
  if (players.size() < 2) throw Error("too few players: a tournament: give --player at least twice");
  std::vector<std::string> names;
  for (const auto& player : players) {
    if (std::find(names.begin(), names.end(), player->name()) != names.end())
      throw Error("a player given twice: " + quote(player->name()) + ": name each one once");
    names.push_back(player->name());
  }
  for (const auto& [anchor, elo] : settings.anchors) {
    if (std::find(names.begin(), names.end(), anchor) == names.end())
      throw Error("an anchor that does not play: " + quote(anchor) + ": " + suggestion(anchor, names));
  }
  check_match(settings.match);
}

// One of the pairings: A is the one whose name comes first, so that the order in which players were given changes nothing.
struct Pairing {
  Player* a;
  Player* b;
  MatchSettings settings;
  std::string key;
  std::optional<StoredMatch> stored;
};

std::string player_key(const Player& player) { return player.version().empty() ? player.name() : player.name() + " [" + player.version() + "]"; }

std::vector<Pairing> pairings_of(const TournamentSettings& settings, const std::vector<std::unique_ptr<Player>>& players) {
  std::vector<Pairing> pairings;
  for (std::size_t i = 0; i < players.size(); ++i) {
    for (std::size_t k = i + 1; k < players.size(); ++k) {
      Pairing pairing{players[i].get(), players[k].get(), settings.match, "", {}};
      if (pairing.b->name() < pairing.a->name()) std::swap(pairing.a, pairing.b);
      const std::uint64_t names = name_number(pairing.a->name() + " - " + pairing.b->name());
      pairing.settings.seed = mix64(settings.match.seed ^ mix64(names));
      pairing.key = fmt::format("tournament {}, {} games, {}, seed {}, {}: {} - {}", rules_name(settings.match.rules), settings.match.games,
                                openings_name(settings.match), settings.match.seed, program_version(), player_key(*pairing.a), player_key(*pairing.b));
      pairings.push_back(std::move(pairing));
    }
  }
  return pairings;
}

void find_stored(std::vector<Pairing>& pairings, const ResultsDatabase& database) {
  for (StoredMatch& match : database.matches()) {
    for (Pairing& pairing : pairings) {
      if (pairing.key == match.key) pairing.stored = match;
    }
  }
}

}  // namespace

TournamentResult play_tournament(const TournamentSettings& settings, const std::vector<std::unique_ptr<Player>>& players, ResultsDatabase* database,
                                 const std::function<bool(const TournamentProgress&)>& watch, const PairingGames& keep_games) {
  check(settings, players);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::vector<Pairing> pairings = pairings_of(settings, players);
  if (database != nullptr) find_stored(pairings, *database);
  const auto to_play = static_cast<double>(std::count_if(pairings.begin(), pairings.end(), [](const Pairing& pairing) { return !pairing.stored; }));
  TournamentResult result;
  double played = 0;
  for (const Pairing& pairing : pairings) {
    if (pairing.stored) {
      result.pairings.push_back({*pairing.stored, true});
      continue;
    }
    if (!result.complete) continue;  // what is stored further on still counts
    std::vector<PlayedGame> games;
    const auto watch_match = [&](const MatchProgress& now) {
      if (!watch) return true;
      return watch({pairing.a->name(), pairing.b->name(),
                    static_cast<int>(pairings.size() - static_cast<std::size_t>(to_play) + static_cast<std::size_t>(played)), static_cast<int>(pairings.size()),
                    now, (played + now.share) / to_play, seconds()});
    };
    const MatchResult match = play_match(pairing.settings, *pairing.a, *pairing.b, watch_match, keep_games ? &games : nullptr);
    result.complete = match.complete;
    if (!match.complete) continue;
    played += 1;
    if (keep_games) keep_games(pairing.a->name(), pairing.b->name(), games);
    result.pairings.push_back({stored_match(pairing.key, 0, *pairing.a, *pairing.b, pairing.settings, match), false});
    if (database != nullptr) database->insert(result.pairings.back().match);
  }
  std::vector<PairRecord> records;
  for (const TournamentPairing& pairing : result.pairings) records.push_back({pairing.match.a, pairing.match.b, pairing.match.first + pairing.match.second});
  result.ratings = rate_players(records, settings.anchors, {DrawModel::davidson, 1});
  if (settings.anchors.empty() && result.ratings.warnings.size() == 1)
    result.ratings.warnings.clear();  // all are linked: the mean stands at 0, as was asked for
  result.seconds = seconds();
  return result;
}

GameCounts games_between(const std::vector<TournamentPairing>& pairings, const std::string& player, const std::string& opponent) {
  GameCounts games;
  for (const TournamentPairing& pairing : pairings) {
    const GameCounts all = pairing.match.first + pairing.match.second;
    if (pairing.match.a == player && pairing.match.b == opponent) games = games + all;
    if (pairing.match.b == player && pairing.match.a == opponent) games = games + GameCounts{all.losses, all.draws, all.wins};
  }
  return games;
}

GameCounts games_of(const std::vector<TournamentPairing>& pairings, const std::string& player) {
  GameCounts games;
  for (const TournamentPairing& pairing : pairings) {
    if (pairing.match.a == player) games = games + games_between({pairing}, player, pairing.match.b);
    if (pairing.match.b == player) games = games + games_between({pairing}, player, pairing.match.a);
  }
  return games;
}

std::string progress_text(const TournamentProgress& progress) {
  MatchProgress match = progress.match;
  std::string text =
      fmt::format("pairing {} of {}, {} - {}: {}/{} games", progress.finished + 1, progress.pairings, progress.a, progress.b, match.finished, match.games);
  if (match.finished > 0) text += fmt::format(", {:.1f} %", 100 * match.so_far.score());
  if (match.seconds >= 1 && match.share > 0) text += fmt::format(", {:.3g} games/s", match.share * match.games / match.seconds);
  if (progress.seconds >= 1 && progress.share > 0) text += fmt::format("; {:.0f} s left in all", progress.seconds * (1 - progress.share) / progress.share);
  return text;
}

}  // namespace wari
