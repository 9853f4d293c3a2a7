#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/rules.h"

// Rule sets in files: YAML for people, JSON for the vectors and game files.
namespace wari {

// "preset: warri" (optional) and any options: "laps: two", "repetition: {occurrences: 3}". Throws Error with file:line.
Rules read_rules_file(const std::string& file);

// {"seeds_per_pit": 4, ..., "repetition": {"occurrences": 2, "award": "own_rows"}, "quiet_plies": 400}: every option spelled out.
nlohmann::ordered_json rules_to_json(const Rules& rules);
// The same, strictly: all options and no others. `place` goes into the Error.
Rules rules_from_json(const nlohmann::json& json, const std::string& place);

// The preset of that name; throws Error with the nearest one.
Rules preset_rules(std::string_view name, const std::string& place);

}  // namespace wari
