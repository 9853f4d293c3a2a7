#pragma once

// The Elo scale: 400 points are a factor of ten in the odds (Elo, 1978).
namespace wari {

double elo_from_score(double score);  // score in (0, 1); 0.75 is +190.8
double score_from_elo(double elo);    // expected score of who is `elo` points stronger

}  // namespace wari
