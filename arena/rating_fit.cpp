#include "arena/rating_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace wari {
namespace {

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

// One meeting under strengths and nu. With u and nu as in the header the log likelihood is (wins - losses) u + draws log(nu) - games log(z), z = 2 cosh(u) +
// nu.
struct Expectation {
  Expectation(const Meeting& meeting, double difference, double nu)
      : scale((1.0 + nu / 2.0) / 2.0),
        u(std::clamp(scale * difference, -300.0, 300.0)),
        z(2.0 * std::cosh(u) + nu),
        lead(2.0 * std::sinh(u) / z),
        drawn(nu / z) {
    surprise = 2.0 * meeting.points_of_a - meeting.games - meeting.games * lead;
    variance = std::max(2.0 * std::cosh(u) / z - lead * lead, 4e-12);
  }
  double scale;  // du / d(difference)
  double u, z;
  double lead;      // expected wins minus losses of a game
  double drawn;     // chance of a draw
  double surprise;  // wins minus losses beyond expectation
  double variance;  // of wins minus losses of a game
};

class Likelihood {
 public:
  Likelihood(const std::vector<Meeting>& meetings, std::vector<double>& strengths, const std::vector<std::size_t>& free)
      : meetings_(meetings), strengths_(strengths), free_(free), place_(strengths.size(), free.size()) {
    for (std::size_t i = 0; i < free_.size(); ++i) place_[free_[i]] = i;
  }

  // Newton's method (the expected information for a curvature) at a fixed nu; steps are bounded so that far starts do no harm. Returns the covariance.
  Matrix fit(double nu) {
    Matrix covariance;
    for (int step = 0; step < 200 && !free_.empty(); ++step) {
      std::vector<double> slope(free_.size(), 0.0);
      covariance = inverse(information(nu, slope));
      double largest = 0.0;
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const double change = std::inner_product(covariance[i].begin(), covariance[i].end(), slope.begin(), 0.0);
        largest = std::max(largest, std::fabs(change));
        strengths_[free_[i]] += std::clamp(change, -2.0, 2.0);
      }
      if (largest < 1e-10) break;
    }
    return covariance;
  }

  // d log likelihood / d log(nu) where the strengths stand.
  double slope_of_draws(double nu) const {
    double slope = 0.0;
    for (const Meeting& meeting : meetings_) {
      const double difference = strengths_[meeting.a] - strengths_[meeting.b];
      const Expectation expected(meeting, difference, nu);
      slope += expected.surprise * nu * difference / 4.0 + meeting.draws - meeting.games * expected.drawn;
    }
    return slope;
  }

  // Of the free players, with nu known no better than the games tell.
  Matrix joint_covariance(double nu) const {
    std::vector<double> unused(free_.size(), 0.0), mixed(free_.size(), 0.0);
    Matrix matrix = information(nu, unused);
    double own = 0.0;
    for (const Meeting& meeting : meetings_) {
      const double difference = strengths_[meeting.a] - strengths_[meeting.b];
      const Expectation expected(meeting, difference, nu);
      const double turn = nu * difference / 4.0, both = -expected.lead * expected.drawn;  // du / d log(nu); covariance of lead and draw
      own += meeting.games * (expected.variance * turn * turn + 2.0 * both * turn + expected.drawn * (1.0 - expected.drawn));
      const double share = meeting.games * expected.scale * (expected.variance * turn + both);
      if (place_[meeting.a] < free_.size()) mixed[place_[meeting.a]] += share;
      if (place_[meeting.b] < free_.size()) mixed[place_[meeting.b]] -= share;
    }
    for (std::size_t i = 0; i < free_.size(); ++i) matrix[i].push_back(mixed[i]);
    mixed.push_back(std::max(own, 1e-12));
    matrix.push_back(mixed);
    return inverse(std::move(matrix));
  }

 private:
  Matrix information(double nu, std::vector<double>& slope) const {
    Matrix matrix(free_.size(), std::vector<double>(free_.size(), 0.0));
    for (const Meeting& meeting : meetings_) {
      const std::size_t a = place_[meeting.a], b = place_[meeting.b];
      const bool a_free = a < free_.size(), b_free = b < free_.size();
      const Expectation expected(meeting, strengths_[meeting.a] - strengths_[meeting.b], nu);
      const double pull = expected.scale * expected.surprise;
      const double weight = meeting.games * expected.scale * expected.scale * expected.variance;
      if (a_free) slope[a] += pull, matrix[a][a] += weight;
      if (b_free) slope[b] -= pull, matrix[b][b] += weight;
      if (a_free && b_free) matrix[a][b] -= weight, matrix[b][a] -= weight;
    }
    return matrix;
  }

  const std::vector<Meeting>& meetings_;
  std::vector<double>& strengths_;
  const std::vector<std::size_t>& free_;
  std::vector<std::size_t> place_;  // of each player among the free ones; free_.size(): fixed
};

}  // namespace

RatingFit fit_ratings(const std::vector<Meeting>& meetings, std::vector<double> strengths, const std::vector<std::size_t>& free, bool model_draws) {
  RatingFit fit;
  fit.strengths = std::move(strengths);
  Likelihood likelihood(meetings, fit.strengths, free);
  const bool any_draw = std::any_of(meetings.begin(), meetings.end(), [](const Meeting& meeting) { return meeting.draws > 0; });
  if (!model_draws || !any_draw) {
    fit.covariance = likelihood.fit(0.0);
    return fit;
  }
  // The best strengths for each nu make a likelihood of nu alone, which has one peak: its slope is cut in halves.
  double low = std::log(1e-6), high = std::log(1e6);
  while (high - low > 1e-10) {
    const double middle = (low + high) / 2.0, nu = std::exp(middle);
    likelihood.fit(nu);
    (likelihood.slope_of_draws(nu) > 0.0 ? low : high) = middle;
  }
  fit.draw_parameter = std::exp((low + high) / 2.0);
  likelihood.fit(fit.draw_parameter);
  fit.covariance = likelihood.joint_covariance(fit.draw_parameter);
  return fit;
}

}  // namespace wari
