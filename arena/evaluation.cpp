#include "arena/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>

#include "arena/elo.h"
#include "arena/name_number.h"
#include "core/error.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr const char* kAnchor = "random";  // stands at 0

using Watch = std::function<bool(const MatchProgress&)>;

MatchResult result_of(const StoredMatch& match) {
  MatchResult result;
  result.first = match.first;
  result.second = match.second;
  result.total = match.first + match.second;
  result.pairs = match.pairs;
  result.a_forfeits = match.a_forfeits;
  result.b_forfeits = match.b_forfeits;
  result.elo = match.elo;
  result.elo_error_95 = match.elo_error_95;
  result.distinct_games = match.distinct_games;
  result.first_player_score = (match.first.wins + match.second.losses + 0.5 * (match.first.draws + match.second.draws)) / std::max(1, result.total.games());
  result.seconds = match.seconds;
  return result;
}

class Matches {
 public:
  Matches(const EvaluationSettings& settings, const Rules& rules, std::uint64_t seed, ResultsDatabase& database, const Watch& watch)
      : settings_(settings), rules_(rules), seed_(seed), database_(database), watch_(watch), stored_(database.matches()) {}

  // The result from the database, or of a new match that is stored there; nothing if it was stopped.
  std::optional<MatchResult> match(int iteration, Player& a, Player& b, int games) {
    const std::string key = fmt::format("{}: {} - {}", iteration, a.name(), b.name());
    const auto found = std::find_if(stored_.begin(), stored_.end(), [&](const StoredMatch& match) { return match.key == key; });
    if (found != stored_.end()) return result_of(*found);
    MatchSettings settings;
    settings.rules = rules_;
    settings.games = games;
    settings.opening_plies = settings_.opening_plies;
    settings.seed = mix64(seed_ ^ mix64(static_cast<std::uint64_t>(iteration) ^ name_number(b.name())));
    const MatchResult result = play_match(settings, a, b, watch_);
    if (!result.complete) return std::nullopt;
    database_.insert(stored_match(key, iteration, a, b, settings, result));
    return result;
  }

 private:
  const EvaluationSettings& settings_;
  const Rules& rules_;
  std::uint64_t seed_;
  ResultsDatabase& database_;
  const Watch& watch_;
  std::vector<StoredMatch> stored_;
};

}  // namespace

void check_evaluation(const EvaluationSettings& settings, const Rules& rules) {
  check_gate(settings.gate);
  if (settings.every == 0 && settings.gate.rule == GateRule::none) return;
  for (const auto& [key, games] : {std::pair{"games", settings.games}, {"previous_games", settings.previous_games}}) {
    if (settings.every > 0 && games % 2 != 0) throw Error(fmt::format("evaluation.{} must be even: '{}': each opening is played from both seats", key, games));
  }
  for (const std::string& reference : settings.references) check_player(reference);
  MatchSettings openings;
  openings.rules = rules;
  openings.games = 2;
  openings.opening_plies = settings.opening_plies;
  match_openings(openings);
}

Evaluation evaluate_player(const EvaluationSettings& settings, const Rules& rules, std::uint64_t seed, int iteration, Player& checkpoint, Player* previous,
                           const PlayerEnvironment& environment, ResultsDatabase& database, const Watch& watch) {
  Matches matches(settings, rules, seed, database, watch);
  std::vector<std::unique_ptr<Player>> references;
  for (const std::string& reference : settings.references) references.push_back(make_player(reference, environment));
  Evaluation evaluation;
  const auto meet = [&](Player& opponent, int games) {
    const std::optional<MatchResult> result = matches.match(iteration, checkpoint, opponent, games);
    if (result) evaluation.matches.push_back({opponent.name(), *result});
    return result.has_value();
  };
  for (const auto& reference : references) evaluation.complete = evaluation.complete && meet(*reference, settings.games);
  if (previous != nullptr) evaluation.complete = evaluation.complete && meet(*previous, settings.previous_games);
  for (std::size_t i = 1; i < references.size(); ++i)
    evaluation.complete = evaluation.complete && matches.match(0, *references[i], *references[i - 1], settings.games).has_value();
  evaluation.all = rate_run(database);
  if (const Rating* rating = evaluation.all.find(checkpoint.name())) evaluation.rating = *rating;
  return evaluation;
}

int checkpoint_iteration(const std::string& player) {
  constexpr std::string_view kStart = "iteration ";
  int iteration = -1;
  if (player.starts_with(kStart)) std::from_chars(player.data() + kStart.size(), player.data() + player.size(), iteration);
  return iteration;
}

Ratings rate_run(const ResultsDatabase& database) {
  const RatingSettings settings{DrawModel::davidson, 1};
  const std::vector<StoredMatch> matches = database.matches();
  std::optional<int> first;  // iteration that was evaluated first
  for (const StoredMatch& match : matches) {
    const int iteration = checkpoint_iteration(match.a);
    if (iteration >= 0 && iteration < first.value_or(std::numeric_limits<int>::max())) first = iteration;
  }
  if (!first) return rate_players(database.pair_records(), {{kAnchor, 0.0}}, settings);
  // How far away random play is nobody knows well, and every later match would move it, and the whole curve with it: the first evaluation says where the first checkpoint stands.
  std::vector<PairRecord> earliest;
  for (const StoredMatch& match : matches) {
    if (match.iteration <= *first) earliest.push_back({match.a, match.b, match.first + match.second});
  }
  const std::string name = fmt::format("iteration {}", *first);
  const Ratings level = rate_players(earliest, {{kAnchor, 0.0}}, settings);
  const Rating* start = level.find(name);
  Ratings ratings = rate_players(database.pair_records(), {{kAnchor, 0.0}, {name, start->elo}}, settings);
  for (Rating& rating : ratings.players) {
    if (rating.player == name) std::tie(rating.error_95, rating.anchored) = std::pair(start->error_95, false);
  }
  return ratings;
}

}  // namespace wari
