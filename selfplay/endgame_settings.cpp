#include "selfplay/endgame_settings.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "endgame/endgame_rules.h"

namespace wari {
namespace {

bool goes_without(const Rules& rules) {
  if (rules.laps != Laps::single) {
    log_info("no endgame table for '{}': only rules of a single lap are solved", rules_name(rules));
    return true;
  }
  if (!endgame_time_left(rules, 0)) {
    log_info("no endgame table for '{}': its games end after {} quiet plies, and tables are asked only while {} are left", rules_name(rules), rules.quiet_plies, kEndgameQuietPlies);
    return true;
  }
  return false;
}

}  // namespace

std::optional<EndgameTables> prepare_endgame_tables(const EndgameSettings& settings, std::span<const Rules> rules, const std::filesystem::path& otherwise, int workers,
                                                    const std::function<bool(const EndgameBuildProgress&)>& watch) {
  EndgameTables tables;
  if (settings.seeds == 0) return tables;
  const std::filesystem::path folder = settings.folder.empty() ? otherwise : std::filesystem::path(settings.folder);
  for (const Rules& set : rules) {
    if (goes_without(set)) continue;
    const Rules part = endgame_rules(set);
    if (std::any_of(tables.begin(), tables.end(), [&](const auto& table) { return table->rules() == part; })) continue;
    std::filesystem::create_directories(folder);
    const EndgameBuild build{part, settings.seeds, folder / (rules_name(part) + "-" + std::to_string(settings.seeds) + ".table"), workers};
    const EndgameBuildEnd end = build_endgame_table(build, watch);
    if (end == EndgameBuildEnd::stopped) return std::nullopt;
    if (end == EndgameBuildEnd::built) log_info("endgames of up to {} seeds are solved: {}", settings.seeds, build.file.string());
    tables.push_back(std::make_shared<EndgameTable>(EndgameTable::open(build.file)));
  }
  return tables;
}

}  // namespace wari
