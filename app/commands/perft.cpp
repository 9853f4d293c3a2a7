#include <chrono>

#include "app/commands.h"
#include "core/game.h"
#include "core/notation.h"
#include "core/perft.h"

namespace wari {
namespace {

struct PerftOptions {
  std::string rules = "abapa";
  std::string position;
  int depth = 0;
  bool divide = false;
};

void print_divide(const Rules& rules, const Position& position, int depth, nlohmann::ordered_json& document, Output& out) {
  nlohmann::ordered_json& divide = document["divide"] = nlohmann::ordered_json::object();
  for (const auto& [action, count] : perft_divide(rules, position, depth)) {
    out.print("{:<2} {}\n", move_text(position, action), count);
    divide[move_text(position, action)] = count;
  }
}

int run_perft(const PerftOptions& options, Output& out) {
  const Rules rules = parse_rules(options.rules);
  const Position position = options.position.empty() ? start_position(rules) : parse_position(options.position, rules);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> counts;
  for (int depth = 1; depth <= options.depth; ++depth) {
    counts.push_back(perft(rules, position, depth));
    out.print("perft {:<2} {}\n", depth, counts.back());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t leaves = 0;
  for (const std::uint64_t count : counts) leaves += count;
  const double rate = seconds > 0 ? static_cast<double>(leaves) / seconds : 0.0;
  nlohmann::ordered_json document = {{"rules", rules_name(rules)}, {"position", position_text(position)}, {"perft", counts}, {"seconds", seconds}, {"leaves_per_second", rate}};
  if (options.divide) print_divide(rules, position, options.depth, document, out);
  out.print("{:.3f} s, {:.1f} million leaves/s\n", seconds, rate / 1e6);
  if (out.json()) out.document(document);
  return 0;
}

}  // namespace

void add_perft_command(CommandLine& line) {
  const auto options = std::make_shared<PerftOptions>();
  CLI::App& command = line.add("perft", "counts the move sequences of exactly N plies, repetition off", "wari perft --rules warri --depth 10 --divide",
                               [options](Output& out) { return run_perft(*options, out); });
  command.add_option("--rules", options->rules, "rule set: a preset, options after commas, or @file.yaml")->capture_default_str();
  command.add_option("--position", options->position, "position; default: the start");
  command.add_option("--depth", options->depth, "plies; every depth up to it is counted")->required()->check(CLI::Range(1, 30));
  command.add_flag("--divide", options->divide, "also the count behind each first move");
}

}  // namespace wari
