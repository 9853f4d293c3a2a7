#include "arena/elo.h"

#include <cmath>

namespace wari {

double elo_from_score(double score) { return 400.0 * std::log10(score / (1.0 - score)); }
double score_from_elo(double elo) { return 1.0 / (1.0 + std::pow(10.0, -elo / 400.0)); }

}  // namespace wari
