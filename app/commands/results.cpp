#include <algorithm>
#include <set>

#include "app/rating_table.h"
#include "arena/collect.h"
#include "core/error.h"
#include "core/log.h"
#include "core/nearest.h"

namespace wari {
namespace {

struct ResultsOptions {
  std::vector<std::string> sources;
  std::string rules;
  std::vector<std::string> anchors = {"random=0"};
  std::string into;
};

// Players of different rule sets cannot be compared, so each has its own table.
std::vector<std::string> rule_sets(const std::vector<StoredMatch>& matches) {
  std::set<std::string> names;
  for (const StoredMatch& match : matches) names.insert(match.rules);
  return {names.begin(), names.end()};
}

void keep_rules(std::vector<StoredMatch>& matches, const std::string& rules) {
  const std::string wanted = rules_name(parse_rules(rules));
  const std::vector<std::string> known = rule_sets(matches);
  std::erase_if(matches, [&wanted](const StoredMatch& match) { return match.rules != wanted; });
  if (matches.empty()) throw Error("no results under these rules: " + quote(wanted) + ": " + suggestion(wanted, known));
}

int run_results(const ResultsOptions& options, Output& out) {
  std::vector<StoredMatch> matches = collect_results({options.sources.begin(), options.sources.end()});
  if (matches.empty()) throw Error("no results yet: " + quote(options.sources.front()) + ": nothing was stored there");
  if (!options.rules.empty()) keep_rules(matches, options.rules);
  if (!options.into.empty()) {
    ResultsDatabase database(options.into);
    const auto added = std::count_if(matches.begin(), matches.end(), [&database](const StoredMatch& match) { return database.insert(match); });
    log_info("{} of {} matches were new to {}", added, matches.size(), options.into);
  }
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const std::string& rules : rule_sets(matches)) {
    std::vector<TournamentPairing> pairings;
    std::vector<PairRecord> records;
    for (const StoredMatch& match : matches) {
      if (match.rules != rules) continue;
      pairings.push_back({match, true});
      records.push_back({match.a, match.b, match.first + match.second});
    }
    const Ratings ratings = rate_players(records, parse_anchors(options.anchors), {DrawModel::davidson, 1});
    for (const std::string& warning : ratings.warnings) log_warning("{}", warning);
    out.print("{}: {} matches\n", rules, pairings.size());
    print_ratings(ratings, pairings, out);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TournamentPairing& pairing : pairings) list.push_back(pairing_json(pairing.match));
    tables.push_back({{"rules", rules},
                      {"draw_parameter", ratings.draw_parameter},
                      {"players", ratings_json(ratings, pairings)},
                      {"matches", list},
                      {"warnings", ratings.warnings}});
  }
  if (out.json()) out.document({{"tables", tables}});
  return 0;
}

}  // namespace

void add_results_command(CommandLine& line) {
  const auto options = std::make_shared<ResultsOptions>();
  CLI::App& command = line.add("results", "rates all stored matches of runs and tournaments together",
                               "wari results runs/quickstart runs/first tournament.sqlite", [options](Output& out) { return run_results(*options, out); });
  command.add_option("SOURCES", options->sources, "runs' folders and files of 'wari tournament --database'")->required();
  command.add_option("--rules", options->rules, "only matches under these rules; otherwise a table for each rule set");
  command.add_option("--anchor", options->anchors, "PLAYER=ELO: this player stands at that Elo; any number of times")
      ->allow_extra_args(false)
      ->capture_default_str();
  command.add_option("--into", options->into, "also copy the matches into this database; those that it has already stay");
}

}  // namespace wari
