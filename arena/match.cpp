#include "arena/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "arena/elo.h"
#include "core/error.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr double kNormal95 = 1.96;  // standard deviations of a two-sided 95 % interval

double points_of_south(const Game& game) {
  const FinalStores stores = game.final_stores();
  const int mover_lead = stores.mover_half_seeds - stores.opponent_half_seeds;
  const int south_lead = north_moves(game.position()) ? -mover_lead : mover_lead;
  return south_lead > 0 ? 1.0 : south_lead < 0 ? 0.0 : 0.5;
}

void count(GameCounts& counts, double points) { (points > 0.75 ? counts.wins : points < 0.25 ? counts.losses : counts.draws) += 1; }

// Standard error of the mean of `values`, each the mean of one pair of games. Pairs share an opening, so games of a pair are not independent; pairs are.
// `prior`: half a pair with the score 1/2 is counted too, as in the Elo itself, so that nobody is certain after winning all.
double error_of_mean(const std::vector<double>& values, double mean, bool prior) {
  const double count = static_cast<double>(values.size()) + (prior ? 0.5 : 0.0);
  double squares = prior ? 0.5 * (0.5 - mean) * (0.5 - mean) : 0.0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / std::max(count - 1, 0.5) / count);
}

void check(const MatchSettings& settings) {
  if (settings.games < 2 || settings.games % 2 != 0) {
    throw Error(fmt::format("the number of games must be even: '{}': each opening is played from both seats", settings.games));
  }
  if (settings.opening_plies < 0) throw Error(fmt::format("opening plies out of range: '{}': give 0 or more", settings.opening_plies));
  if (settings.rules.quiet_plies == 0) {
    throw Error("a game might never end: quiet_plies=0: matches need a limit of quiet plies, 'quiet_plies=400' for instance");
  }
}

// All games of a match at once: in each round everyone moves in all games where it is their turn.
class Round {
 public:
  Round(const MatchSettings& settings, std::vector<PlayedGame>& games) : settings_(settings), games_(games) {}

  // Lets one player move in all unfinished games where it is to move. Returns the number of games.
  std::size_t move(Player& player, bool is_a) {
    waiting_.clear();
    keys_.clear();
    numbers_.clear();
    for (std::size_t number = 0; number < games_.size(); ++number) {
      const PlayedGame& played = games_[number];
      if (played.game.is_over() || (played.a_is_south != north_moves(played.game.position())) != is_a) continue;
      waiting_.push_back(&played.game);
      keys_.push_back(random_bits(settings_.seed, number, static_cast<std::uint32_t>(played.game.plies()), Purpose::player_tie, 0));
      numbers_.push_back(number);
    }
    if (waiting_.empty()) return 0;
    const std::vector<int> actions = player.choose(waiting_, keys_);
    if (actions.size() != numbers_.size())
      throw Error(fmt::format("player '{}' gave {} moves for {} games: this is a fault of the player", player.name(), actions.size(), numbers_.size()),
                  ErrorKind::system);
    for (std::size_t i = 0; i < numbers_.size(); ++i) games_[numbers_[i]].game.play(actions[i]);
    return numbers_.size();
  }

 private:
  const MatchSettings& settings_;
  std::vector<PlayedGame>& games_;
  std::vector<const Game*> waiting_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> numbers_;
};

// Unfinished games count by the plies that they have against the mean of the finished ones.
double share_done(const std::vector<PlayedGame>& games, int finished) {
  constexpr double kUsualPlies = 90;
  double finished_plies = 0;
  for (const PlayedGame& played : games) finished_plies += played.game.is_over() ? played.game.plies() : 0;
  const double usual = 10 * finished >= static_cast<int>(games.size()) ? finished_plies / finished : kUsualPlies;
  double done = finished;
  for (const PlayedGame& played : games) done += played.game.is_over() ? 0 : std::min(played.game.plies() / usual, 0.95);
  return done / static_cast<double>(games.size());
}

MatchProgress progress_of(std::vector<PlayedGame>& games, double seconds) {
  MatchProgress progress;
  progress.games = static_cast<int>(games.size());
  progress.seconds = seconds;
  for (PlayedGame& played : games) {
    if (!played.game.is_over()) continue;
    const double south = points_of_south(played.game);
    played.a_points = played.a_is_south ? south : 1 - south;
    count(progress.so_far, played.a_points);
    ++progress.finished;
  }
  progress.share = share_done(games, progress.finished);
  return progress;
}

std::vector<PlayedGame> finished_pairs(const std::vector<PlayedGame>& games) {
  std::vector<PlayedGame> finished;
  for (std::size_t first = 0; first + 1 < games.size(); first += 2) {
    if (!games[first].game.is_over() || !games[first + 1].game.is_over()) continue;
    finished.push_back(games[first]);
    finished.push_back(games[first + 1]);
  }
  return finished;
}

}  // namespace

MatchResult summarise_match(std::span<const PlayedGame> games) {
  MatchResult result;
  std::vector<double> pairs, south_pairs;
  std::set<std::string> lines;
  double plies = 0;
  for (std::size_t i = 0; i < games.size(); ++i) {
    const PlayedGame& played = games[i];
    count(result.total, played.a_points);
    count(played.a_is_south ? result.first : result.second, played.a_points);
    lines.emplace(played.game.actions().begin(), played.game.actions().end());
    plies += played.game.plies();
    if (i % 2 == 0) continue;
    const PlayedGame& other = games[i - 1];
    const auto south = [](const PlayedGame& g) { return g.a_is_south ? g.a_points : 1 - g.a_points; };
    pairs.push_back((played.a_points + other.a_points) / 2);
    south_pairs.push_back((south(played) + south(other)) / 2);
  }
  const double count_of_games = static_cast<double>(games.size());
  const double points = result.total.wins + 0.5 * result.total.draws;
  const double score = (points + 0.5) / (count_of_games + 1);
  result.elo = elo_from_score(score);
  // The slope of the Elo scale at this score turns points into Elo.
  result.elo_error_95 = kNormal95 * error_of_mean(pairs, score, true) * 400.0 / std::log(10.0) / (score * (1 - score));
  if (!games.empty()) {
    for (double south : south_pairs) result.first_player_score += (south - 0.5) / static_cast<double>(south_pairs.size());
    if (south_pairs.size() > 1) result.first_player_error_95 = kNormal95 * error_of_mean(south_pairs, result.first_player_score, false);
    result.mean_plies = plies / count_of_games;
  }
  result.distinct_games = static_cast<int>(lines.size());
  return result;
}

MatchResult play_match(const MatchSettings& settings, Player& a, Player& b, const std::function<bool(const MatchProgress&)>& watch,
                       std::vector<PlayedGame>* games) {
  check(settings);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::vector<PlayedGame> played;
  for (const Game& opening : match_openings(settings)) {
    played.push_back({opening, true, 0.5});
    played.push_back({opening, false, 0.5});
  }
  Round round(settings, played);
  bool stopped = false;
  while (!stopped && round.move(a, true) + round.move(b, false) > 0) {
    const MatchProgress progress = progress_of(played, seconds());
    stopped = watch && !watch(progress) && progress.finished < progress.games;
  }
  progress_of(played, seconds());
  if (stopped) played = finished_pairs(played);
  MatchResult result = summarise_match(played);
  result.complete = !stopped;
  result.seconds = seconds();
  if (games != nullptr) *games = std::move(played);
  return result;
}

std::string progress_text(const MatchProgress& progress) {
  std::string text = fmt::format("{}/{} games", progress.finished, progress.games);
  if (progress.finished > 0) text += fmt::format(", {:.1f} %", 100 * progress.so_far.score());
  if (progress.seconds < 1 || progress.share <= 0) return text;
  const double rate = progress.share * progress.games / progress.seconds;
  return text + fmt::format(", {:.3g} games/s, {:.0f} s left", rate, progress.seconds * (1 - progress.share) / progress.share);
}

}  // namespace wari
