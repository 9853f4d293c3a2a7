#include "app/uci/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "app/commands.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

constexpr const char* kEmpty = "<empty>";  // how the protocol writes an empty text

struct Definition {
  std::string name;
  std::string type;  // with bounds
  std::function<std::string(const UciOptions&)> value;
  std::function<void(UciOptions&, const std::string&)> set;
};

std::string text_or_empty(const std::string& text) { return text.empty() ? kEmpty : text; }
std::string plain_text(const std::string& value) { return value == kEmpty ? "" : value; }

bool parse_check(const std::string& text, const std::string& name) {
  if (text != "true" && text != "false") throw Error("bad value " + quote(text) + ": option " + name + ": give true or false");
  return text == "true";
}

// `field` gives the member of the options that it is given, const or not.
template <class Field>
Definition spin(const std::string& name, int low, int high, Field field) {
  const auto value = [field](const UciOptions& options) { return std::to_string(field(options)); };
  const auto set = [field, name, low, high](UciOptions& options, const std::string& text) { field(options) = static_cast<int>(parse_uci_number(text, low, high, "option " + name)); };
  return {name, fmt::format("spin min {} max {}", low, high), value, set};
}

template <class Field>
Definition check(const std::string& name, Field field) {
  const auto value = [field](const UciOptions& options) { return std::string(field(options) ? "true" : "false"); };
  return {name, "check", value, [field, name](UciOptions& options, const std::string& text) { field(options) = parse_check(text, name); }};
}

template <class Field>
Definition text(const std::string& name, Field field) {
  const auto value = [field](const UciOptions& options) { return text_or_empty(field(options)); };
  return {name, "string", value, [field](UciOptions& options, const std::string& given) { field(options) = plain_text(given); }};
}

Definition rules() {
  std::string type = "combo";
  for (const auto& [name, set] : rule_presets()) type += " var " + name;
  const auto value = [](const UciOptions& options) { return rules_name(options.engine.rules.value_or(Rules{})); };
  return {"Rules", type, value, [](UciOptions& options, const std::string& given) {
            options.engine.rules = parse_rules(given);
            options.rules_chosen = true;
          }};
}

const std::vector<Definition>& definitions() {
  static const std::vector<Definition> all = {
      text("Checkpoint", [](auto& o) -> auto& { return o.engine.checkpoint; }),
      rules(),
      spin("Threads", 0, 1024, [](auto& o) -> auto& { return o.engine.threads; }),
      spin("Batch", 0, 65536, [](auto& o) -> auto& { return o.engine.batch; }),
      text("Table", [](auto& o) -> auto& { return o.engine.table; }),
      spin("Hash", 1, 1 << 20, [](auto& o) -> auto& { return o.engine.memory_mb; }),
      spin("Strength", 0, 1'000'000'000, [](auto& o) -> auto& { return o.visits; }),
      check("UCI_LimitStrength", [](auto& o) -> auto& { return o.limit_strength; }),
      spin("UCI_Elo", kLowestElo, kHighestElo, [](auto& o) -> auto& { return o.elo; }),
      check("UCI_ShowWDL", [](auto& o) -> auto& { return o.show_wdl; }),
      check("Ponder", [](auto& o) -> auto& { return o.ponder; }),
      spin("MoveOverhead", 0, 60'000, [](auto& o) -> auto& { return o.overhead_ms; }),
      text("LogFile", [](auto& o) -> auto& { return o.log_file; }),
  };
  return all;
}

// Letter case and blanks in names do not matter: "move overhead" is what some programs send.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c != ' ') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

}  // namespace

Strength UciOptions::strength() const {
  Strength strength;
  if (limit_strength) strength = strength_of_elo(elo);
  if (visits > 0 && (strength.visits == 0 || visits < strength.visits)) strength.visits = visits;
  return strength;
}

std::vector<std::string> option_lines(const UciOptions& options) {
  std::vector<std::string> lines;
  for (const Definition& definition : definitions()) {
    const std::size_t bounds = std::min(definition.type.find(' '), definition.type.size());
    lines.push_back(fmt::format("option name {} type {} default {}{}", definition.name, definition.type.substr(0, bounds), definition.value(options), definition.type.substr(bounds)));
  }
  return lines;
}

void set_option(UciOptions& options, const UciOption& option) {
  std::vector<std::string> names;
  for (const Definition& definition : definitions()) {
    if (plain_name(definition.name) == plain_name(option.name)) return definition.set(options, option.value);
    names.push_back(definition.name);
  }
  throw Error("unknown option " + quote(option.name) + ": setoption: " + suggestion(option.name, names));
}

}  // namespace wari
