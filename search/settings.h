#pragma once

#include <cstdint>

namespace wari {

enum class Algorithm : std::uint8_t { gumbel, puct };
// What a search takes from an endgame table: nothing, the values that are proven, or all: the others as estimates in place of the network's.
enum class TableSearch : std::uint8_t { none, proven, all };

// How one position is thought about.
struct SearchSettings {
  Algorithm algorithm = Algorithm::gumbel;
  double c_puct = 1.5;            // exploration constant of PUCT (below the root also under Gumbel)
  double c_puct_log_base = 0.0;   // visit-dependent growth: c + log((n + base + 1) / base); 0: constant
  double fpu_reduction = 0.2;     // first-play urgency: parent's value minus this
  double gumbel_c_visit = 50.0;   // sigma(q) = (c_visit + max visits) c_scale q
  double gumbel_c_scale = 0.5;    // values in -1..1
  int gumbel_considered = 12;     // root actions that the halving starts with, at most
  double gumbel_noise = 1.0;      // 0: deterministic
  double dirichlet_share = 0.25;  // PUCT: share of noise in the root's priors, in self-play
  double dirichlet_alpha = 10.0;  // PUCT: total concentration, divided by the number of legal moves
  double root_uniform_share = 0;  // PUCT: share of equal priors at the root, so that a sure network looks at every move; for playing and analysis
  double margin_weight = 0.0;     // share of the expected margin in the search's value (breaks ties only where positive and small)

  template <class Visitor>
  void fields(Visitor& v) {
    v.choice("algorithm", algorithm, {"gumbel", "puct"}, "gumbel: sequential halving at the root, completed Q-values as policy target; puct: visit counts");
    v.number("c_puct", c_puct, 0.01, 20.0, "exploration constant of PUCT, also below the root under gumbel");
    v.number("c_puct_log_base", c_puct_log_base, 0.0, 1e9, "visits at which exploration starts to grow with the logarithm; 0: constant");
    v.number("fpu_reduction", fpu_reduction, 0.0, 2.0, "first-play urgency: an unvisited move is worth its parent's value minus this (values in -1..1)");
    v.number("gumbel_c_visit", gumbel_c_visit, 0.0, 1000.0, "visit offset in sigma(q) = (c_visit + max visits) * c_scale * q");
    v.number("gumbel_c_scale", gumbel_c_scale, 0.001, 10.0, "scale in sigma(q), for values in -1..1");
    v.number("gumbel_considered", gumbel_considered, 1, 12, "root moves that the halving starts with, at most");
    v.number("gumbel_noise", gumbel_noise, 0.0, 10.0, "scale of the Gumbel draws at the root; 0: deterministic");
    v.number("dirichlet_share", dirichlet_share, 0.0, 1.0, "puct in self-play: share of noise in the root's priors");
    v.number("dirichlet_alpha", dirichlet_alpha, 0.01, 1000.0, "puct in self-play: total concentration of the noise, divided by the number of legal moves");
    v.number("root_uniform_share", root_uniform_share, 0.0, 1.0, "puct: share of equal priors mixed into the root's, so that every move is looked at");
    v.number("margin_weight", margin_weight, 0.0, 0.5, "share of the expected margin in the search's value; 0 played best");
  }
};

// How self-play games are made from searches; the lanes themselves follow these.
struct PlaySettings {
  int simulations = 32;              // of a full search
  int capped_simulations = 12;       // of a capped one (playout-cap randomisation; KataGo, Wu 2019)
  double full_search_share = 1.0;    // share of moves with a full search; 1: no capped ones
  int opening_plies_max = 8;         // 0..this many random plies first, drawn per game
  int noise_plies = 30;              // after this ply no noise at the root and the best move is played
  double temperature = 1.0;          // PUCT: of the visit counts, up to noise_plies

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("simulations", simulations, 1, 32000, "simulations of a full search; the root's evaluation counts as none");
    v.number("capped_simulations", capped_simulations, 1, 32000, "simulations of a capped search, whose policy is not learned from");
    v.number("full_search_share", full_search_share, 0.01, 1.0, "share of moves that get a full search; 1: no capped searches");
    v.number("opening_plies_max", opening_plies_max, 0, 100, "a game begins with 0 to this many uniformly random plies");
    v.number("noise_plies", noise_plies, 0, 10000, "plies of a game in which the root is noisy; later the best move is played");
    v.number("temperature", temperature, 0.0, 10.0, "puct: temperature of the visit counts when a noisy move is chosen");
  }
};

}  // namespace wari
