#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "app/bench.h"
#include "app/commands.h"
#include "core/error.h"
#include "core/nearest.h"
#include "search/signature.h"

namespace wari {

namespace {

struct BenchOptions {
  std::vector<std::string> groups;
  bool signature = false;
};

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

nlohmann::ordered_json machine_description() {
  return {{"processor", processor_name()}, {"threads", std::thread::hardware_concurrency()}, {"compiler", __VERSION__}};
}

int run_bench(const BenchOptions& options, Output& out) {
  if (options.signature) {
    const std::uint64_t signature = search_signature();
    out.print("{:016x}\n", signature);
    // As text too: readers of JSON keep 53 bits of a number.
    out.document({{"signature", signature}, {"signature_text", fmt::format("{:016x}", signature)}});
    return 0;
  }
  const std::vector<BenchGroup> groups = bench_groups();
  std::vector<std::string> names;
  for (const BenchGroup& group : groups) names.push_back(group.name);
  for (const std::string& wanted : options.groups) {
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw Error("unknown group " + quote(wanted) + ": wari bench: " + suggestion(wanted, names));
  }
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const BenchGroup& group : groups) {
    const bool wanted = options.groups.empty() || std::find(options.groups.begin(), options.groups.end(), group.name) != options.groups.end();
    if (!wanted) continue;
    for (const BenchResult& r : group.run()) {
      out.print("{:<48} {:>12.5g} {:<8} [{:.5g} .. {:.5g}]\n", r.name, r.value, r.unit, r.low, r.high);
      results.push_back({{"name", r.name}, {"value", r.value}, {"unit", r.unit}, {"low", r.low}, {"high", r.high}});
    }
  }
  out.document({{"machine", machine_description()}, {"results", results}});
  return 0;
}

}  // namespace

void add_bench_command(CommandLine& line) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App& command = line.add("bench", "measures speeds, each the median of at least five runs", "wari bench rules search",
                               [options](Output& out) { return run_bench(*options, out); });
  command.add_option("groups", options->groups, "what to measure; everything where none is given");
  command.add_flag("--signature", options->signature, "print one number for the behaviour of the search, equal on every build and device, and measure nothing");
}

}  // namespace wari
