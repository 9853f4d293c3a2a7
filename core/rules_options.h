#pragma once

#include <string>
#include <vector>

#include "core/rules.h"

// The options of a rule set as text: one list drives the command line, YAML, JSON and the documentation printed by `wari rules`.
namespace wari {

struct RuleOption {
  std::string key;                  // "repetition.occurrences"
  std::vector<std::string> words;   // values of a choice, in order of the enum; empty for a number
  std::string range;                // for a number, in words
  std::string meaning;
  int (*get)(const Rules&);         // number, or index into words
  bool (*valid)(int);
  void (*set)(Rules&, int);

  std::string text(const Rules& rules) const;  // "laps" -> "two"
};

const std::vector<RuleOption>& rule_options();

// Sets one option from its text. `place` (a file's line, may be empty) is put into the Error.
void set_rule_option(Rules& rules, const std::string& key, const std::string& value, const std::string& place);

}  // namespace wari
