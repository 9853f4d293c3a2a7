#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// How a command is added: one file app/commands/NAME.cpp with a function add_NAME_command(), declared and listed at the end of this header.
//
//   struct PerftOptions { std::string rules = "abapa"; int depth = 0; };
//
//   int run_perft(const PerftOptions& options, Output& out) {              // returns the exit status: 0, or 1 where a check failed; errors are thrown as wari::Error
//     ...
//     if (out.json()) out.document({{"perft", counts}});
//     else out.print("{} leaves\n", counts.back());
//     return 0;
//   }
//
//   void add_perft_command(CommandLine& line) {
//     auto options = std::make_shared<PerftOptions>();
//     CLI::App& command = line.add("perft", "counts move sequences", "wari perft --rules abapa --depth 8", [options](Output& out) { return run_perft(*options, out); });
//     command.add_option("--rules", options->rules, "rule set")->capture_default_str();
//     command.add_option("--depth", options->depth, "plies")->required()->check(CLI::Range(1, 30));
//   }
namespace wari {

// A command that a signal stopped exits with this plus the signal's number, as shells do.
inline constexpr int kSignalExit = 128;

// Standard output of one command. With --json it carries exactly one document; log and progress go to standard error (core/log.h).
class Output {
 public:
  explicit Output(bool json) : json_(json) {}
  bool json() const { return json_; }
  // The command's one document; only with --json, and once. NaN and infinities become null.
  void document(const nlohmann::ordered_json& value);
  // Text for a person; nothing with --json.
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!json_) text(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  bool has_document() const { return written_; }

 private:
  void text(std::string_view text);
  bool json_;
  bool written_ = false;
};

// A number within bounds; unlike CLI::Range it refuses what is no number.
inline CLI::Validator number_in(double low, double high) {
  const std::string wanted = fmt::format("a number from {} to {}", low, high);
  return CLI::Validator(
      [low, high, wanted](const std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return fits ? std::string() : text + " is not " + wanted;
      },
      wanted);
}

// What --workers means: that many threads, or one per core.
inline int workers_or_cores(int workers) { return workers > 0 ? workers : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

// The binary's commands over CLI11. Every command gets --help with its example, --json and --log.
class CommandLine {
 public:
  using Action = std::function<int(Output&)>;

  CommandLine();
  // Adds a command; its own flags are added to what is returned. `example` is a whole line as typed.
  CLI::App& add(const std::string& name, const std::string& description, const std::string& example, Action action);
  // A command with commands of its own ("endgame build"): add the group, then the commands to it.
  CLI::App& add_group(const std::string& name, const std::string& description);
  CLI::App& add_to(CLI::App& group, const std::string& name, const std::string& description, const std::string& example, Action action);

  // Parses and runs; returns the exit status of `cli.md`. Wrong use throws Error.
  int run(int argc, const char* const* argv);

 private:
  struct Command {
    CLI::App* app;
    Action action;
    bool json = false;
    std::string log_level = "info";
  };

  CLI::App root_;
  std::vector<std::unique_ptr<Command>> commands_;
};

// Runs the whole program and turns every exception into one line on standard error and an exit status.
int run_program(int argc, const char* const* argv);

// A command per file, in the order of --help. A new one is declared and listed here.
void add_rules_command(CommandLine& line);
void add_perft_command(CommandLine& line);
void add_check_rules_command(CommandLine& line);
void add_ogn_command(CommandLine& line);
void add_train_command(CommandLine& line);
void add_selfplay_command(CommandLine& line);
void add_evaluate_command(CommandLine& line);
void add_match_command(CommandLine& line);
void add_tournament_command(CommandLine& line);
void add_results_command(CommandLine& line);
void add_analyze_command(CommandLine& line);
void add_play_command(CommandLine& line);
void add_serve_command(CommandLine& line);
void add_uci_command(CommandLine& line);
void add_export_command(CommandLine& line);
void add_endgame_command(CommandLine& line);
void add_bench_command(CommandLine& line);
void add_doctor_command(CommandLine& line);

using AddCommand = void (*)(CommandLine&);
inline constexpr AddCommand kCommands[] = {
    add_rules_command,
    add_perft_command,
    add_check_rules_command,
    add_ogn_command,
    add_train_command,
    add_selfplay_command,
    add_evaluate_command,
    add_match_command,
    add_tournament_command,
    add_results_command,
    add_analyze_command,
    add_play_command,
    add_serve_command,
    add_uci_command,
    add_export_command,
    add_endgame_command,
    add_bench_command,
    add_doctor_command,
};

}  // namespace wari
