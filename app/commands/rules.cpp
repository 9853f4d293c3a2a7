#include "app/commands.h"
#include "core/nearest.h"
#include "core/rules.h"
#include "core/rules_files.h"
#include "core/rules_options.h"

namespace wari {
namespace {

struct RulesOptions {
  std::string rules;
};

std::string words_of(const RuleOption& option) {
  if (option.words.empty()) return option.range;
  std::string text;
  for (const std::string& word : option.words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

int list_presets(Output& out) {
  nlohmann::ordered_json presets = nlohmann::ordered_json::array();
  for (const auto& [name, rules] : rule_presets()) {
    std::string changes;
    for (const RuleOption& option : rule_options()) {
      if (option.get(rules) != option.get(Rules{})) changes += (changes.empty() ? "" : ", ") + option.key + " " + option.text(rules);
    }
    out.print("{:<14} {}\n", name, changes.empty() ? "the defaults" : changes);
    presets.push_back({{"name", name}, {"options", rules_to_json(rules)}});
  }
  out.print("\n'wari rules NAME' shows all options of one. Any option may be changed: warri,laps=two,repetition.occurrences=3\n");
  if (out.json()) out.document({{"presets", presets}});
  return 0;
}

int show_rules(const std::string& text, Output& out) {
  const Rules rules = parse_rules(text);
  out.print("{}\n\n", rules_name(rules));
  for (const RuleOption& option : rule_options()) {
    out.print("{:<23} {:<22} {}\n{:<46} values: {}\n", option.key, option.text(rules), option.meaning, "", words_of(option));
  }
  if (out.json()) out.document({{"name", rules_name(rules)}, {"options", rules_to_json(rules)}});
  return 0;
}

}  // namespace

void add_rules_command(CommandLine& line) {
  const auto options = std::make_shared<RulesOptions>();
  CLI::App& command = line.add("rules", "lists the rule sets, or all options of one with their meaning", "wari rules warri,laps=two",
                               [options](Output& out) { return options->rules.empty() ? list_presets(out) : show_rules(options->rules, out); });
  command.add_option("RULES", options->rules, "rule set: a preset, options after commas, or @file.yaml");
}

}  // namespace wari
