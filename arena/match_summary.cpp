#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "arena/elo.h"
#include "arena/match.h"
#include "core/notation.h"

// The figures of a match from its games.
namespace wari {
namespace {

constexpr double kNormal95 = 1.96;  // standard deviations of a two-sided 95 % interval

bool a_moves(const PlayedGame& played) { return played.a_is_south != north_moves(played.game.position()); }
bool a_is_first(const PlayedGame& played) { return played.a_is_south != north_moves(played.game.start()); }

void count(GameCounts& counts, double points) { (points > 0.75 ? counts.wins : points < 0.25 ? counts.losses : counts.draws) += 1; }

void count_forfeit(ForfeitCounts& counts, int forfeit) {
  (forfeit == kCrashed ? counts.crashes : forfeit == kOutOfTime ? counts.out_of_time : counts.illegal_moves) += 1;
}

// Standard error of the mean of `values`, each the mean of one pair of games. Pairs share an opening, so games of a pair are not independent; pairs are.
// `prior`: half a pair with the score 1/2 is counted too, as in the Elo itself, so that nobody is certain after winning all.
double error_of_mean(const std::vector<double>& values, double mean, bool prior) {
  const double count = static_cast<double>(values.size()) + (prior ? 0.5 : 0.0);
  double squares = prior ? 0.5 * (0.5 - mean) * (0.5 - mean) : 0.0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / std::max(count - 1, 0.5) / count);
}

}  // namespace

MatchResult summarise_match(std::span<const PlayedGame> games) {
  MatchResult result;
  std::vector<double> pairs, first_pairs;
  std::set<std::string> lines;  // with the position that they begin from
  double plies = 0;
  for (std::size_t i = 0; i < games.size(); ++i) {
    const PlayedGame& played = games[i];
    count(result.total, played.a_points);
    count(a_is_first(played) ? result.first : result.second, played.a_points);
    lines.insert(position_text(played.game.start()) + line_text(played.game));
    if (played.forfeit != 0) count_forfeit(a_moves(played) ? result.a_forfeits : result.b_forfeits, played.forfeit);
    plies += played.game.plies();
    if (i % 2 == 0) continue;
    const PlayedGame& other = games[i - 1];
    const auto first = [](const PlayedGame& g) { return a_is_first(g) ? g.a_points : 1 - g.a_points; };
    pairs.push_back((played.a_points + other.a_points) / 2);
    ++result.pairs[static_cast<std::size_t>(std::lround(2 * (played.a_points + other.a_points)))];
    first_pairs.push_back((first(played) + first(other)) / 2);
  }
  const double count_of_games = static_cast<double>(games.size());
  const double points = result.total.wins + 0.5 * result.total.draws;
  const double score = (points + 0.5) / (count_of_games + 1);
  result.elo = elo_from_score(score);
  // The slope of the Elo scale at this score turns points into Elo.
  result.elo_error_95 = kNormal95 * error_of_mean(pairs, score, true) * 400.0 / std::log(10.0) / (score * (1 - score));
  if (!games.empty()) {
    for (double first : first_pairs) result.first_player_score += (first - 0.5) / static_cast<double>(first_pairs.size());
    if (first_pairs.size() > 1) result.first_player_error_95 = kNormal95 * error_of_mean(first_pairs, result.first_player_score, false);
    result.mean_plies = plies / count_of_games;
  }
  result.distinct_games = static_cast<int>(lines.size());
  return result;
}

std::string progress_text(const MatchProgress& progress) {
  std::string text = progress.sprt ? fmt::format("{} games", progress.finished) : fmt::format("{}/{} games", progress.finished, progress.games);
  if (progress.finished > 0) text += fmt::format(", {:.1f} %", 100 * progress.so_far.score());
  const bool has_rate = progress.seconds >= 1 && progress.share > 0;
  if (has_rate) text += fmt::format(", {:.3g} games/s", progress.share * progress.games / progress.seconds);
  if (progress.sprt) {
    const SequentialTest& test = *progress.sprt;
    return text + fmt::format(", LLR {:.2f} ({:.2f} to {:.2f})", test.log_likelihood_ratio(), test.lower(), test.upper());
  }
  if (has_rate) text += fmt::format(", {:.0f} s left", progress.seconds * (1 - progress.share) / progress.share);
  return text;
}

}  // namespace wari
