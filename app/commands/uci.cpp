#include <csignal>
#include <random>

#include "app/commands.h"
#include "app/uci/channel.h"
#include "app/uci/info.h"
#include "app/uci/session.h"
#include "core/error.h"
#include "core/log.h"

namespace wari {
namespace {

struct UciCommandOptions {
  UciOptions uci;
  std::string rules;
  int elo = -1;
  std::uint64_t seed = 0;
};

UciOptions session_options(const UciCommandOptions& options) {
  UciOptions uci = options.uci;
  if (!options.rules.empty()) {
    uci.engine.rules = parse_rules(options.rules);
    uci.rules_chosen = true;
  }
  if (options.elo >= 0) {
    uci.limit_strength = true;
    uci.elo = options.elo;
  }
  return uci;
}

int run_uci(const UciCommandOptions& options, Output& out) {
  if (out.json()) throw Error("a conversation is no JSON document: '--json': leave it out");
  std::signal(SIGPIPE, SIG_IGN);
  const std::uint64_t seed = options.seed != 0 ? options.seed : std::random_device{}();
  UciChannel channel;
  try {
    const UciOptions uci = session_options(options);
    channel.set_log_file(uci.log_file);
    check_engine(uci.engine);
    const std::string name = std::string("wari ") + WARI_VERSION + (uci.engine.checkpoint.empty() ? "" : " " + uci.engine.checkpoint);
    UciSession session(uci, name, seed, {load_engine, [&](const std::string& line) { channel.say(line); }, [&](const std::string& file) { channel.set_log_file(file); }});
    channel.read_lines([&](std::string_view line) { session.line(line); });
    session.end_of_input();
    session.wait_until_over();
  } catch (const Error& e) {
    channel.say(info_string(std::string("error: ") + e.what()));  // programs with a window show what they read, not what goes to standard error
    throw;
  }
  return 0;
}

}  // namespace

void add_uci_command(CommandLine& line) {
  const auto options = std::make_shared<UciCommandOptions>();
  CLI::App& command = line.add("uci", "plays in other programs, by the UCI dialect of the Oware programs (docs/engine.md)", "wari uci --checkpoint runs/quickstart",
                               [options](Output& out) { return run_uci(*options, out); });
  UciOptions& uci = options->uci;
  command.add_option("--checkpoint", uci.engine.checkpoint, "a checkpoint's folder, a run's (its newest), or RUN@best; without one random games judge");
  command.add_option("--rules", options->rules, "rule set; default: the checkpoint's first, or abapa");
  command.add_option("--threads", uci.engine.threads, "0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--batch", uci.engine.batch, "positions judged at once, at most; 0: as many as pay for themselves")->check(CLI::Range(0, 65536))->capture_default_str();
  command.add_option("--table", uci.engine.table, "endgame table; <auto>: of the checkpoint's run, <none>: none")->capture_default_str();
  command.add_option("--hash", uci.engine.memory_mb, "memory of the tree in MB")->check(CLI::Range(1, 1 << 20))->capture_default_str();
  command.add_option("--visits", uci.visits, "plays weaker: visits of a search, at most; 0: no limit")->check(CLI::Range(0, 1'000'000'000))->capture_default_str();
  command.add_option("--elo", options->elo, "plays about this strongly, random play being 0; moves are drawn")->check(CLI::Range(kLowestElo, kHighestElo));
  command.add_option("--move-overhead", uci.overhead_ms, "milliseconds of a move that are lost on the way")->check(CLI::Range(0, 60'000))->capture_default_str();
  command.add_option("--precision", uci.engine.precision, "of the network on the CPU: auto, float32 or int8")->check(CLI::IsMember({"auto", "float32", "int8"}))->capture_default_str();
  command.add_option("--seed", options->seed, "of moves that are drawn; 0: another one each time")->capture_default_str();
  command.add_option("--log-file", uci.log_file, "a file to which all lines of both sides are added");
}

}  // namespace wari
