#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/game_json.h"
#include "core/nearest.h"
#include "core/ogn.h"

namespace wari {
namespace {

constexpr const char* kSetTag = "Set";  // the label of a game among JSON lines

struct OgnOptions {
  std::vector<std::string> files;
  std::string rules, out;
};

std::optional<Rules> rules_of(const OgnOptions& options) {
  if (options.rules.empty()) return {};
  return parse_rules(options.rules);
}

int run_check(const OgnOptions& options, Output& out) {
  std::int64_t games = 0, plies = 0;
  nlohmann::ordered_json faults = nlohmann::ordered_json::array();
  for (const std::string& file : options.files) {
    const OgnCheck check = check_ogn(read_whole_file(file), file, rules_of(options));
    games += check.games;
    plies += check.plies;
    for (const std::string& fault : check.faults) {
      out.print("{}\n", fault);
      faults.push_back({{"file", file}, {"what", fault}});
    }
  }
  out.print("{} games of {} plies are right, {} are not\n", games, plies, faults.size());
  const bool right = faults.empty();
  if (out.json()) out.document({{"games", games}, {"plies", plies}, {"faults", std::move(faults)}});
  return right ? 0 : 1;
}

// A converted game as text, with what is wanted of it for the totals.
struct Converted {
  std::int64_t games = 0, plies = 0;
  std::string text;
};

// To --out, or to standard output: with --json as part of the document.
int deliver(const OgnOptions& options, const Converted& converted, Output& out) {
  nlohmann::ordered_json document = {{"games", converted.games}, {"plies", converted.plies}};
  if (options.out.empty()) {
    out.print("{}", converted.text);
    document["text"] = converted.text;
  } else {
    for (const std::string& file : options.files) {
      if (std::error_code failed; std::filesystem::equivalent(file, options.out, failed)) throw Error("read and written at once: " + quote(file) + ": name another file with --out");
    }
    write_file_durably(options.out, converted.text);
    out.print("{} games of {} plies: {}\n", converted.games, converted.plies, options.out);
    document["file"] = options.out;
  }
  if (out.json()) out.document(document);
  return 0;
}

// A game whose end nobody recorded was ended early by whoever saved it.
std::string ended_of(const OgnGame& game) {
  if (game.game.is_over()) return "";
  return game.ended.empty() ? "limit" : game.ended;
}

int run_to_jsonl(const OgnOptions& options, Output& out) {
  Converted converted;
  for (const std::string& file : options.files) {
    for (const OgnGame& game : read_ogn(read_whole_file(file), file, rules_of(options))) {
      const std::string* set = game.tag(kSetTag);
      const auto json = game_to_json({game.game, set != nullptr ? *set : rules_name(game.game.rules()), ended_of(game)});
      converted.text += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
      ++converted.games;
      converted.plies += game.game.plies();
    }
  }
  return deliver(options, converted, out);
}

void add_lines(const std::string& file, Converted& converted) {
  const std::string lines = read_whole_file(file);
  int number = 0;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = std::string_view(lines).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    NamedGame named = game_from_json(line, fmt::format("{}:{}", file, number));
    OgnGame game(std::move(named.game));
    game.ended = named.ended;
    if (!named.set.empty()) game.set_tag(kSetTag, named.set);
    converted.text += (converted.games > 0 ? "\n" : "") + ogn_text(game);
    ++converted.games;
    converted.plies += game.game.plies();
  }
}

int run_from_jsonl(const OgnOptions& options, Output& out) {
  Converted converted;
  for (const std::string& file : options.files) add_lines(file, converted);
  return deliver(options, converted, out);
}

}  // namespace

void add_ogn_command(CommandLine& line) {
  CLI::App& group = line.add_group("ogn", "game files of the Oware programs: verify, convert (docs/ogn.md)");
  const auto add = [&line, &group](const char* name, const char* what, const char* example, int (*run)(const OgnOptions&, Output&)) {
    const auto options = std::make_shared<OgnOptions>();
    CLI::App& command = line.add_to(group, name, what, example, [options, run](Output& out) { return run(*options, out); });
    command.add_option("FILE", options->files, "files, read in this order")->required();
    return std::make_pair(&command, options);
  };
  constexpr const char* kRulesHelp = "rule set of games that do not name theirs, or by a name that means nothing here; default: abapa, and the latter are refused";
  constexpr const char* kOutHelp = "file to write; default: standard output";
  const auto [check, check_options] = add("check", "reads files and plays every game by its rules", "wari ogn check games.ogn", run_check);
  check->add_option("--rules", check_options->rules, kRulesHelp);
  const auto [to, to_options] = add("to-jsonl", "writes the games as JSON lines, as 'wari check-rules' reads them", "wari ogn to-jsonl games.ogn --out games.jsonl", run_to_jsonl);
  to->add_option("--rules", to_options->rules, kRulesHelp);
  to->add_option("--out", to_options->out, kOutHelp);
  const auto [from, from_options] = add("from-jsonl", "writes games of JSON lines as OGN", "wari ogn from-jsonl tests/data/rules/games.jsonl --out games.ogn", run_from_jsonl);
  from->add_option("--out", from_options->out, kOutHelp);
}

}  // namespace wari
