#include "app/commands.h"
#include "core/check_rules.h"
#include "search/alphabeta.h"

namespace wari {
namespace {

struct CheckRulesOptions {
  std::vector<std::string> files;
};

int run_check_rules(const CheckRulesOptions& options, Output& out) {
  AlphaBeta searcher;
  const AlphaBetaOracle oracle = [&searcher](const Rules& rules, const Position& position, int depth) {
    const AlphaBetaResult result = searcher.search(Game(rules, position), depth);
    return AlphaBetaAnswer{result.value, result.best};
  };
  RulesReport report;
  for (const std::string& file : options.files) check_rules_file(file, oracle, report);
  nlohmann::ordered_json mismatches = nlohmann::ordered_json::array();
  for (const RulesMismatch& found : report.mismatches) {
    out.print("{}:{}: {}: expected {}, got {}\n", found.file, found.line, found.what, found.expected, found.got);
    mismatches.push_back({{"file", found.file}, {"line", found.line}, {"what", found.what}, {"expected", found.expected}, {"got", found.got}});
  }
  out.print("{} examples checked, {} mismatches\n", report.checked, report.mismatches.size());
  if (out.json()) out.document({{"checked", report.checked}, {"mismatches", mismatches}});
  return report.mismatches.empty() ? 0 : 1;
}

}  // namespace

void add_check_rules_command(CommandLine& line) {
  const auto options = std::make_shared<CheckRulesOptions>();
  CLI::App& command = line.add("check-rules", "verifies files of examples (perft, moves, games, alphabeta) against this engine", "wari check-rules tests/data/rules/moves.jsonl",
                               [options](Output& out) { return run_check_rules(*options, out); });
  command.add_option("FILE", options->files, "files of examples, one JSON object a line")->required();
}

}  // namespace wari
