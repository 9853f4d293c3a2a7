#include "arena/ratings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "arena/rating_fit.h"

namespace wari {
namespace {

constexpr double kNormal95 = 1.96;
const double kEloPerNat = 400.0 / std::log(10.0);  // Elo of a factor e in the odds

void add_prior(std::vector<Meeting>& meetings, std::size_t players, double prior_games) {
  std::vector<int> opponents(players, 0);
  for (const Meeting& meeting : meetings) {
    ++opponents[meeting.a];
    ++opponents[meeting.b];
  }
  for (Meeting& meeting : meetings) {
    const double level = prior_games / std::max(opponents[meeting.a], opponents[meeting.b]);
    meeting.games += level;
    meeting.points_of_a += 0.5 * level;  // as much won as lost: evidence about strength, not about draws
  }
}

// Sets of players that are linked by games, each in order of name.
std::vector<std::vector<std::size_t>> connected_groups(std::size_t players, const std::vector<Meeting>& meetings) {
  std::vector<std::size_t> group(players);
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const Meeting& meeting : meetings) {
      const std::size_t least = std::min(group[meeting.a], group[meeting.b]);
      changed |= group[meeting.a] != least || group[meeting.b] != least;
      group[meeting.a] = group[meeting.b] = least;
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t player = 0; player < players; ++player) members[group[player]].push_back(player);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [first, players_of_group] : members) groups.push_back(std::move(players_of_group));
  return groups;
}

// Without an anchor only differences are known: the group's mean is put at 0, errors are relative to that mean. `place`: of each player in the covariance;
// the group's first is not among them.
void rate_floating(const std::vector<std::size_t>& group, const RatingFit& fit, const std::vector<std::size_t>& place, std::vector<Rating>& ratings) {
  const double size = static_cast<double>(group.size());
  const auto covariance = [&](std::size_t i, std::size_t k) { return i == group[0] || k == group[0] ? 0.0 : fit.covariance[place[i]][place[k]]; };
  double mean = 0.0, mean_variance = 0.0;
  for (std::size_t player : group) {
    mean += fit.strengths[player] / size;
    for (std::size_t other : group) mean_variance += covariance(player, other) / (size * size);
  }
  for (std::size_t player : group) {
    Rating& rating = ratings[player];
    double shared = 0.0;
    for (std::size_t other : group) shared += covariance(player, other) / size;
    rating.elo = kEloPerNat * (fit.strengths[player] - mean);
    rating.error_95 = kNormal95 * kEloPerNat * std::sqrt(std::max(0.0, covariance(player, player) - 2.0 * shared + mean_variance));
    rating.connected = false;
  }
}

std::string joined_names(const std::vector<std::size_t>& group, const std::vector<Rating>& ratings) {
  std::string names;
  for (std::size_t player : group) names += (names.empty() ? "'" : ", '") + ratings[player].player + "'";
  return names;
}

bool is_anchored(const std::vector<std::size_t>& group, const std::vector<Rating>& ratings) {
  return std::any_of(group.begin(), group.end(), [&](std::size_t player) { return ratings[player].anchored; });
}

// One meeting for each pair that has met, in order of number; notes how many games each player has.
std::vector<Meeting> meetings_of(const std::vector<PairRecord>& records, const std::map<std::string, std::size_t>& numbers, const RatingSettings& settings,
                                 std::vector<Rating>& ratings) {
  std::map<std::pair<std::size_t, std::size_t>, Meeting> by_pair;
  for (const PairRecord& record : records) {
    std::size_t a = numbers.at(record.a), b = numbers.at(record.b);
    double points = record.games.wins + 0.5 * record.games.draws;
    const int games = record.games.games();
    if (a == b || games == 0) continue;
    ratings[a].games += games;
    ratings[b].games += games;
    if (a > b) {
      std::swap(a, b);
      points = games - points;
    }
    Meeting& meeting = by_pair.try_emplace({a, b}, Meeting{a, b}).first->second;
    meeting.games += games;
    meeting.draws += record.games.draws;
    meeting.points_of_a += points;
  }
  std::vector<Meeting> meetings;
  for (const auto& [pair, meeting] : by_pair) meetings.push_back(meeting);
  add_prior(meetings, ratings.size(), settings.prior_games);
  return meetings;
}

}  // namespace

const Rating* Ratings::find(const std::string& player) const {
  for (const Rating& rating : players) {
    if (rating.player == player) return &rating;
  }
  return nullptr;
}

Ratings rate_players(const std::vector<PairRecord>& records, const std::map<std::string, double>& anchors, const RatingSettings& settings) {
  std::map<std::string, std::size_t> numbers;
  for (const PairRecord& record : records) numbers.emplace(record.a, 0), numbers.emplace(record.b, 0);
  Ratings result;
  std::vector<double> strengths;
  for (auto& [name, number] : numbers) {
    number = result.players.size();
    const auto anchor = anchors.find(name);
    const double elo = anchor == anchors.end() ? 0.0 : anchor->second;
    result.players.push_back({name, elo, 0.0, 0, anchor != anchors.end(), true});
    strengths.push_back(elo / kEloPerNat);
  }
  const std::vector<Meeting> meetings = meetings_of(records, numbers, settings, result.players);
  const std::vector<std::vector<std::size_t>> groups = connected_groups(result.players.size(), meetings);
  std::vector<std::size_t> free, place(result.players.size(), 0);
  for (const std::vector<std::size_t>& group : groups) {
    const bool anchored = is_anchored(group, result.players);
    for (std::size_t player : group) {
      if (result.players[player].anchored || (!anchored && player == group[0])) continue;  // one player of a floating group is where it is measured from
      place[player] = free.size();
      free.push_back(player);
    }
  }
  const RatingFit fit = fit_ratings(meetings, std::move(strengths), free, settings.draws == DrawModel::davidson);
  result.draw_parameter = fit.draw_parameter;
  for (const std::vector<std::size_t>& group : groups) {
    if (!is_anchored(group, result.players)) {
      rate_floating(group, fit, place, result.players);
      result.warnings.push_back("no games link " + joined_names(group, result.players) +
                                " to a player of known Elo: their numbers are relative to one another");
      continue;
    }
    for (std::size_t player : group) {
      Rating& rating = result.players[player];
      if (rating.anchored) continue;
      rating.elo = kEloPerNat * fit.strengths[player];
      rating.error_95 = kNormal95 * kEloPerNat * std::sqrt(fit.covariance[place[player]][place[player]]);
    }
  }
  return result;
}

}  // namespace wari
