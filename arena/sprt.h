#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// Sequential test of two hypotheses about the strength of A against B: H0, A is elo0 stronger, against H1, A is elo1 stronger (logistic Elo).
// Generalised likelihood ratio over pairs of games that share an opening, as fishtest computes it: Van den Bergh, "The generalized maximum likelihood ratio for
// the expectation value of a distribution" (2019); the bounds are Wald's (1945).
namespace wari {

// Pairs of games by A's points in them: 0, 1/2, 1, 3/2, 2.
using Pentanomial = std::array<std::int64_t, 5>;

struct SprtSettings {
  double elo0 = 0;      // H0
  double elo1 = 10;     // H1; above elo0
  double alpha = 0.05;  // chance to accept H1 where H0 is true
  double beta = 0.05;   // chance to accept H0 where H1 is true
};

enum class SprtDecision { none, h0, h1 };
const char* sprt_decision_name(SprtDecision decision);  // "continue", "H0", "H1"

// "elo0=0,elo1=10,alpha=0.05,beta=0.05"; what is missing keeps its default. Throws Error where it makes no test.
SprtSettings parse_sprt(std::string_view text);

// Log of the likelihood of the pairs under H1 over that under H0, each at the most likely distribution with that hypothesis' mean. A count of 0 is taken for a
// thousandth of a pair, so that few pairs prove nothing.
double sprt_log_likelihood_ratio(const Pentanomial& pairs, double elo0, double elo1);

// The test as pairs come in. They must be given in order of their number, not as they finish: short games would come first. Once made a decision stays.
class SequentialTest {
 public:
  explicit SequentialTest(const SprtSettings& settings);
  void add(double points);  // of A in one pair: 0, 1/2, ..., 2; ignored after a decision

  const SprtSettings& settings() const { return settings_; }
  const Pentanomial& pairs() const { return pairs_; }
  double lower() const { return lower_; }  // H0 is accepted at or below
  double upper() const { return upper_; }  // H1 at or above
  double log_likelihood_ratio() const { return ratio_; }
  SprtDecision decision() const { return decision_; }

 private:
  SprtSettings settings_;
  double lower_, upper_;
  Pentanomial pairs_{};
  double ratio_ = 0;
  SprtDecision decision_ = SprtDecision::none;
};

}  // namespace wari
