#include "arena/ratings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace wari {
namespace {

constexpr double kNormal95 = 1.96;
const double kEloPerNat = 400.0 / std::log(10.0);  // Elo of a factor e in the odds

// What two players did against each other, the prior's share of a drawn game included.
struct Meeting {
  std::size_t a;
  std::size_t b;
  double games = 0.0;
  double points_of_a = 0.0;
};

void add_prior(std::vector<Meeting>& meetings, std::size_t players) {
  std::vector<int> opponents(players, 0);
  for (const Meeting& meeting : meetings) {
    ++opponents[meeting.a];
    ++opponents[meeting.b];
  }
  for (Meeting& meeting : meetings) {
    const double drawn = 1.0 / std::max(opponents[meeting.a], opponents[meeting.b]);
    meeting.games += drawn;
    meeting.points_of_a += 0.5 * drawn;
  }
}

using Matrix = std::vector<std::vector<double>>;

// Solves for several right sides at once by Gauss and Jordan; the matrix is symmetric and positive definite, so no pivoting is needed. Returns the inverse.
Matrix inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix result(size, std::vector<double>(size, 0.0));
  for (std::size_t i = 0; i < size; ++i) result[i][i] = 1.0;
  for (std::size_t column = 0; column < size; ++column) {
    const double pivot = matrix[column][column];
    for (std::size_t k = 0; k < size; ++k) {
      matrix[column][k] /= pivot;
      result[column][k] /= pivot;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = matrix[row][column];
      if (row == column || factor == 0.0) continue;
      for (std::size_t k = 0; k < size; ++k) {
        matrix[row][k] -= factor * matrix[column][k];
        result[row][k] -= factor * result[column][k];
      }
    }
  }
  return result;
}

// Strengths in natural units (odds e^x) of one connected set of players; those in `fixed` stay where they are.
class Group {
 public:
  Group(std::vector<double>& strengths, const std::vector<Meeting>& meetings, std::vector<std::size_t> free)
      : strengths_(strengths), meetings_(meetings), free_(std::move(free)) {
    place_.assign(strengths.size(), free_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) place_[free_[i]] = i;
  }

  // Newton's method; the likelihood is concave, and steps are bounded so that far starts do no harm. Returns the covariance of the free players.
  Matrix fit() {
    if (free_.empty()) return {};
    Matrix covariance;
    for (int step = 0; step < 200; ++step) {
      std::vector<double> slope(free_.size(), 0.0);
      covariance = inverse(curvature(slope));
      double largest = 0.0;
      for (std::size_t i = 0; i < free_.size(); ++i) {
        double change = std::inner_product(covariance[i].begin(), covariance[i].end(), slope.begin(), 0.0);
        largest = std::max(largest, std::fabs(change));
        strengths_[free_[i]] += std::clamp(change, -2.0, 2.0);
      }
      if (largest < 1e-10) break;
    }
    return covariance;
  }

 private:
  Matrix curvature(std::vector<double>& slope) const {
    Matrix matrix(free_.size(), std::vector<double>(free_.size(), 0.0));
    for (const Meeting& meeting : meetings_) {
      const std::size_t a = place_[meeting.a], b = place_[meeting.b];
      const bool a_free = a < free_.size(), b_free = b < free_.size();
      if (!a_free && !b_free) continue;
      const double expected = 1.0 / (1.0 + std::exp(strengths_[meeting.b] - strengths_[meeting.a]));
      const double surprise = meeting.points_of_a - meeting.games * expected;
      const double information = meeting.games * std::max(expected * (1.0 - expected), 1e-12);
      if (a_free) slope[a] += surprise, matrix[a][a] += information;
      if (b_free) slope[b] -= surprise, matrix[b][b] += information;
      if (a_free && b_free) matrix[a][b] -= information, matrix[b][a] -= information;
    }
    return matrix;
  }

  std::vector<double>& strengths_;
  const std::vector<Meeting>& meetings_;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> place_;  // of each player among the free ones; free_.size(): fixed
};

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

void rate_anchored(const std::vector<std::size_t>& group, const std::vector<Meeting>& meetings, std::vector<double>& strengths, std::vector<Rating>& ratings) {
  std::vector<std::size_t> free;
  for (std::size_t player : group) {
    if (!ratings[player].anchored) free.push_back(player);
  }
  const Matrix covariance = Group(strengths, meetings, free).fit();
  for (std::size_t i = 0; i < free.size(); ++i) {
    ratings[free[i]].elo = kEloPerNat * strengths[free[i]];
    ratings[free[i]].error_95 = kNormal95 * kEloPerNat * std::sqrt(covariance[i][i]);
  }
}

// Without an anchor only differences are known: the group's mean is put at 0, errors are relative to that mean.
void rate_floating(const std::vector<std::size_t>& group, const std::vector<Meeting>& meetings, std::vector<double>& strengths, std::vector<Rating>& ratings) {
  const std::vector<std::size_t> free(group.begin() + 1, group.end());
  const Matrix covariance = Group(strengths, meetings, free).fit();
  const double size = static_cast<double>(group.size());
  double mean = 0.0, mean_variance = 0.0;
  for (std::size_t player : group) mean += strengths[player] / size;
  for (const auto& row : covariance) mean_variance += std::accumulate(row.begin(), row.end(), 0.0) / (size * size);
  for (std::size_t i = 0; i < group.size(); ++i) {
    Rating& rating = ratings[group[i]];
    const double own = i == 0 ? 0.0 : covariance[i - 1][i - 1];
    const double shared = i == 0 ? 0.0 : std::accumulate(covariance[i - 1].begin(), covariance[i - 1].end(), 0.0) / size;
    rating.elo = kEloPerNat * (strengths[group[i]] - mean);
    rating.error_95 = kNormal95 * kEloPerNat * std::sqrt(std::max(0.0, own - 2.0 * shared + mean_variance));
    rating.connected = false;
  }
}

std::string joined_names(const std::vector<std::size_t>& group, const std::vector<Rating>& ratings) {
  std::string names;
  for (std::size_t player : group) names += (names.empty() ? "'" : ", '") + ratings[player].player + "'";
  return names;
}

}  // namespace

const Rating* Ratings::find(const std::string& player) const {
  for (const Rating& rating : players) {
    if (rating.player == player) return &rating;
  }
  return nullptr;
}

Ratings rate_players(const std::vector<PairRecord>& records, const std::map<std::string, double>& anchors) {
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
  std::map<std::pair<std::size_t, std::size_t>, Meeting> by_pair;
  for (const PairRecord& record : records) {
    std::size_t a = numbers[record.a], b = numbers[record.b];
    double points = record.games.wins + 0.5 * record.games.draws;
    const int games = record.games.games();
    if (a == b || games == 0) continue;
    result.players[a].games += games;
    result.players[b].games += games;
    if (a > b) {
      std::swap(a, b);
      points = games - points;
    }
    Meeting& meeting = by_pair.try_emplace({a, b}, Meeting{a, b}).first->second;
    meeting.games += games;
    meeting.points_of_a += points;
  }
  std::vector<Meeting> meetings;
  for (const auto& [pair, meeting] : by_pair) meetings.push_back(meeting);
  add_prior(meetings, result.players.size());
  for (const std::vector<std::size_t>& group : connected_groups(result.players.size(), meetings)) {
    const bool anchored = std::any_of(group.begin(), group.end(), [&](std::size_t player) { return result.players[player].anchored; });
    if (anchored) {
      rate_anchored(group, meetings, strengths, result.players);
    } else {
      rate_floating(group, meetings, strengths, result.players);
      result.warnings.push_back("no games link " + joined_names(group, result.players) +
                                " to a player of known Elo: their numbers are relative to one another");
    }
  }
  return result;
}

}  // namespace wari
