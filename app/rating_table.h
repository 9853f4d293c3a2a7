#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/commands.h"
#include "arena/tournament.h"

// Ratings as commands show them.
namespace wari {

// "PLAYER=ELO", split at the last '='. Throws Error.
std::map<std::string, double> parse_anchors(const std::vector<std::string>& anchors);

// Best first: rank, Elo with its error, games, score, name.
void print_ratings(const Ratings& ratings, const std::vector<TournamentPairing>& pairings, Output& out);
// Share of points of each row against each column, by rank.
void print_cross_table(const Ratings& ratings, const std::vector<TournamentPairing>& pairings, Output& out);

// Best first.
nlohmann::ordered_json ratings_json(const Ratings& ratings, const std::vector<TournamentPairing>& pairings);
nlohmann::ordered_json pairing_json(const StoredMatch& match);

}  // namespace wari
