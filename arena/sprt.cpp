#include "arena/sprt.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "arena/elo.h"
#include "arena/option_list.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

constexpr double kEmptyCount = 1e-3;  // in place of 0, as in fishtest

using Shares = std::array<double, 5>;  // of A's scores 0, 1/4, ..., 1 in a pair

double score_of(std::size_t place) { return static_cast<double>(place) / 4; }

// The multiplier x of the constraint "mean score = s": sum of p (a - s) / (1 + x (a - s)) = 0. The left side falls from +inf to -inf between its poles.
double multiplier(const Shares& shares, double s) {
  double low = -1 / (1 - s), high = 1 / s;
  for (;;) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] * (score_of(i) - s) / (1 + middle * (score_of(i) - s));
    (sum > 0 ? low : high) = middle;
  }
}

}  // namespace

const char* sprt_decision_name(SprtDecision decision) { return decision == SprtDecision::h0 ? "H0" : decision == SprtDecision::h1 ? "H1" : "continue"; }

SprtSettings parse_sprt(std::string_view text) {
  const std::string whose = "--sprt";
  const OptionList options = parse_option_list(text, {"elo0", "elo1", "alpha", "beta"}, "--sprt " + quote(text));
  SprtSettings settings;
  settings.elo0 = real_option(options, "elo0", settings.elo0, -1000.0, 1000.0, whose);
  settings.elo1 = real_option(options, "elo1", settings.elo1, -1000.0, 1000.0, whose);
  settings.alpha = real_option(options, "alpha", settings.alpha, 1e-6, 0.49, whose);
  settings.beta = real_option(options, "beta", settings.beta, 1e-6, 0.49, whose);
  if (settings.elo1 <= settings.elo0)
    throw Error(fmt::format("elo1 must be above elo0: --sprt {}: elo0 is {}, elo1 {}", quote(text), settings.elo0, settings.elo1));
  return settings;
}

double sprt_log_likelihood_ratio(const Pentanomial& pairs, double elo0, double elo1) {
  Shares counts, shares;
  double total = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    counts[i] = pairs[i] == 0 ? kEmptyCount : static_cast<double>(pairs[i]);
    total += counts[i];
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) shares[i] = counts[i] / total;
  const double s0 = score_from_elo(elo0), s1 = score_from_elo(elo1);
  const double x0 = multiplier(shares, s0), x1 = multiplier(shares, s1);
  double ratio = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) ratio += counts[i] * std::log((1 + x0 * (score_of(i) - s0)) / (1 + x1 * (score_of(i) - s1)));
  return ratio;
}

SequentialTest::SequentialTest(const SprtSettings& settings)
    : settings_(settings), lower_(std::log(settings.beta / (1 - settings.alpha))), upper_(std::log((1 - settings.beta) / settings.alpha)) {}

void SequentialTest::add(double points) {
  if (decision_ != SprtDecision::none) return;
  ++pairs_[static_cast<std::size_t>(std::lround(2 * points))];
  ratio_ = sprt_log_likelihood_ratio(pairs_, settings_.elo0, settings_.elo1);
  if (ratio_ <= lower_) decision_ = SprtDecision::h0;
  if (ratio_ >= upper_) decision_ = SprtDecision::h1;
}

}  // namespace wari
