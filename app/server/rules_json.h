#pragma once

#include <nlohmann/json.hpp>

// The rule sets and what their options mean, for whoever chooses one.
namespace wari {

nlohmann::ordered_json rules_json();

}  // namespace wari
