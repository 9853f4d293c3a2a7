#include "app/commands.h"
#include "core/check_rules.h"
#include "search/alphabeta.h"
#include "selfplay/record.h"

namespace wari {
namespace {

struct CheckRulesOptions {
  std::vector<std::string> files;
};

// What `wari selfplay` and `wari train` wrote: a shard, or a folder of them.
bool holds_records(const std::filesystem::path& file) { return file.extension() == kRecordExtension || std::filesystem::is_directory(file); }

void check_records(const std::filesystem::path& file, RulesReport& report) {
  for (const std::filesystem::path& path : record_shards({&file, 1})) {
    const RecordShard shard = read_records(path);
    for (std::size_t place = 0; place < shard.games.size(); ++place) {
      const GameRecord& game = shard.games[place];
      const std::string fault = verify_game(game, shard.header.rules[game.rules_index]);
      ++report.checked;
      if (!fault.empty()) report.mismatches.push_back({path.string(), static_cast<int>(place) + 1, "game record", "a game by the rules", fault});
    }
  }
}

int run_check_rules(const CheckRulesOptions& options, Output& out) {
  AlphaBeta searcher;
  const AlphaBetaOracle oracle = [&searcher](const Rules& rules, const Position& position, int depth) {
    const AlphaBetaResult result = searcher.search(Game(rules, position), depth);
    return AlphaBetaAnswer{result.value, result.best};
  };
  RulesReport report;
  for (const std::string& file : options.files) {
    if (holds_records(file))
      check_records(file, report);
    else
      check_rules_file(file, oracle, report);
  }
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
  CLI::App& command = line.add("check-rules", "verifies files of examples (perft, moves, games, alphabeta) and game records against this engine", "wari check-rules tests/data/rules/moves.jsonl",
                               [options](Output& out) { return run_check_rules(*options, out); });
  command.add_option("FILE", options->files, "files of examples, one JSON object a line, or what 'wari selfplay' wrote: folders, or files ending in .games")->required();
}

}  // namespace wari
