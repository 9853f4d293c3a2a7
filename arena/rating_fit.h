#pragma once

#include <cstddef>
#include <vector>

// The most likely strengths behind a table of results.
namespace wari {

// What two players did against each other.
struct Meeting {
  std::size_t a;
  std::size_t b;
  double games = 0.0;
  double draws = 0.0;
  double points_of_a = 0.0;
};

using Matrix = std::vector<std::vector<double>>;

struct RatingFit {
  std::vector<double> strengths;  // [players], in natural units: a difference of x between equals in draws stands for odds of e^x
  double draw_parameter = 0.0;    // nu of Davidson; 0: a draw is half a win
  Matrix covariance;              // of the free players, in the order given
};

// Maximum likelihood over `free`; the other players stay at `strengths`. With `model_draws` after Davidson (1970): wins, draws and losses of players whose
// strengths differ by d are as e^u : nu : e^-u with u = (1 + nu/2) d/2, and nu is one number for all games. His own strengths are 2u; the factor 1 + nu/2 keeps
// the expected score's slope between equals that of the Elo scale, whatever share of games is drawn (as the scale of BayesElo does). Without: Bradley and Terry
// (1952), a draw is half a win, which is the same with nu = 0.
RatingFit fit_ratings(const std::vector<Meeting>& meetings, std::vector<double> strengths, const std::vector<std::size_t>& free, bool model_draws);

}  // namespace wari
