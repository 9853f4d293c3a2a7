#include "core/rules_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "core/error.h"
#include "core/rules_options.h"

namespace wari {
namespace {

// Options as written, by dotted key: text and place.
struct WrittenOption {
  std::string key, text, place;
};

std::string place_of(const std::string& file, const YAML::Mark& mark) { return fmt::format("{}:{}", file, mark.line + 1); }

void collect(const YAML::Node& map, const std::string& prefix, const std::string& file, std::vector<WrittenOption>& options) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string place = place_of(file, entry.first.Mark());
    if (!entry.first.IsScalar()) throw Error(fmt::format("a key is not a word: {}: write option: value", place));
    const std::string key = prefix + entry.first.Scalar();
    if (!seen.insert(key).second) throw Error(fmt::format("key '{}' is given twice: {}: leave one out", key, place));
    if (entry.second.IsMap()) {
      collect(entry.second, key + ".", file, options);
    } else if (entry.second.IsScalar()) {
      options.push_back({key, entry.second.Scalar(), place});
    } else {
      throw Error(fmt::format("key '{}' has no single value: {}: write option: value", key, place));
    }
  }
}

YAML::Node load_map(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw Error(fmt::format("no such file of rules: '{}': give the path of a YAML file after '@'", file));
  try {
    const YAML::Node root = YAML::LoadFile(file);
    if (!root.IsMap()) throw Error(fmt::format("a rule set is a list of 'option: value': {}:1: write for example 'preset: warri'", file));
    return root;
  } catch (const YAML::ParserException& error) {
    throw Error(fmt::format("not YAML: {}: {}", place_of(file, error.mark), error.msg));
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("cannot read rules: '{}': {}", file, error.what()));
  }
}

void flatten(const nlohmann::json& json, const std::string& prefix, const std::string& place, std::vector<WrittenOption>& options) {
  if (!json.is_object()) throw Error(fmt::format("the rules are not an object of options at {}: spell all options out", place));
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", place, options);
    } else {
      options.push_back({prefix + key, value.is_string() ? value.get<std::string>() : value.dump(), place});
    }
  }
}

}  // namespace

Rules read_rules_file(const std::string& file) {
  std::vector<WrittenOption> options;
  collect(load_map(file), "", file, options);
  Rules rules;
  for (const WrittenOption& option : options) {
    if (option.key == "preset") rules = preset_rules(option.text, option.place);
  }
  for (const WrittenOption& option : options) {
    if (option.key != "preset") set_rule_option(rules, option.key, option.text, option.place);
  }
  return rules;
}

nlohmann::ordered_json rules_to_json(const Rules& rules) {
  nlohmann::ordered_json json;
  for (const RuleOption& option : rule_options()) {
    const std::size_t dot = option.key.find('.');
    nlohmann::ordered_json& field = dot == std::string::npos ? json[option.key] : json[option.key.substr(0, dot)][option.key.substr(dot + 1)];
    if (option.words.empty()) {
      field = option.get(rules);
    } else {
      field = option.text(rules);
    }
  }
  return json;
}

Rules rules_from_json(const nlohmann::json& json, const std::string& place) {
  std::vector<WrittenOption> options;
  flatten(json, "", place, options);
  Rules rules;
  std::set<std::string> given;
  for (const WrittenOption& option : options) {
    set_rule_option(rules, option.key, option.text, place);
    given.insert(option.key);
  }
  for (const RuleOption& option : rule_options()) {
    if (!given.contains(option.key)) throw Error(fmt::format("rule option '{}' is missing at {}: spell all options out", option.key, place));
  }
  return rules;
}

}  // namespace wari
