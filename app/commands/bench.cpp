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

bool is_among(const std::string& name, const std::vector<std::string>& names) { return std::find(names.begin(), names.end(), name) != names.end(); }

void check_names(const std::vector<std::string>& wanted, const std::vector<BenchGroup>& groups) {
  std::vector<std::string> names;
  for (const BenchGroup& group : groups) {
    names.push_back(group.name);
    for (const std::string& row : group.rows) names.push_back(group.name + "." + row);
  }
  for (const std::string& name : wanted) {
    if (!is_among(name, names)) throw Error("unknown group " + quote(name) + ": wari bench: " + suggestion(name, names));
  }
}

// All of a group, some of its rows, or nothing.
std::vector<BenchResult> run_wanted(const BenchGroup& group, const std::vector<std::string>& wanted) {
  if (wanted.empty() || is_among(group.name, wanted)) return group.run();
  std::vector<std::string> rows;
  for (const std::string& row : group.rows) {
    if (is_among(group.name + "." + row, wanted)) rows.push_back(row);
  }
  return rows.empty() ? std::vector<BenchResult>{} : group.run_rows(rows);
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
  check_names(options.groups, groups);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const BenchGroup& group : groups) {
    for (const BenchResult& r : run_wanted(group, options.groups)) {
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
  command.add_option("groups", options->groups, "what to measure, a group or one of its rows (gpu.mlp_12x256.16k); everything where none is given");
  command.add_flag("--signature", options->signature, "print one number for the behaviour of the search, equal on every build and device, and measure nothing");
}

}  // namespace wari
