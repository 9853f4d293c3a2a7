#include "core/rules.h"

#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "core/random.h"
#include "core/rules_files.h"
#include "core/rules_options.h"

namespace wari {
namespace {

template <class Change>
Rules changed(Change change) {
  Rules rules;
  change(rules);
  return rules;
}

std::vector<std::pair<std::string, Rules>> make_presets() {
  return {
      {"abapa", Rules{}},
      {"wari", changed([](Rules& r) { r.grand_slam = GrandSlam::forbidden_unless_only; })},
      {"warri", changed([](Rules& r) { r.grand_slam = GrandSlam::moves_again; })},
      {"awale", changed([](Rules& r) { r.capture = Capture::optional; })},
      {"two-lap", changed([](Rules& r) { r.laps = Laps::two; })},
      {"relay", changed([](Rules& r) { r.laps = Laps::relay_until_capture; })},
      {"relay-literal", changed([](Rules& r) { r.laps = Laps::relay; })},
      {"short", changed([](Rules& r) { r.seeds_per_pit = 6; })},
      {"zillions", changed([](Rules& r) { r.no_feeding_move = NoFeedingMove::plays_on; })},
      {"awari", changed([](Rules& r) {
         r.grand_slam = GrandSlam::forbidden_unless_only;
         r.repetition_occurrences = 3;
         r.repetition_award = Award::split;
       })},
  };
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(',', begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// "laps=two" on `rules`; `seen` keeps the keys used, since a key given twice is a slip.
void apply_assignment(Rules& rules, const std::string& assignment, std::string_view whole, std::set<std::string>& seen) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) throw Error(fmt::format("rule option '{}' has no value, in '{}': write key=value, as in warri,laps=two", assignment, whole));
  const std::string key = assignment.substr(0, equals);
  if (!seen.insert(key).second) throw Error(fmt::format("rule option '{}' is given twice, in '{}': leave one out", key, whole));
  set_rule_option(rules, key, assignment.substr(equals + 1), fmt::format("'{}'", whole));
}

int differences(const Rules& a, const Rules& b) {
  int count = 0;
  for (const RuleOption& option : rule_options()) count += option.get(a) != option.get(b);
  return count;
}

}  // namespace

const std::vector<std::pair<std::string, Rules>>& rule_presets() {
  static const std::vector<std::pair<std::string, Rules>> presets = make_presets();
  return presets;
}

namespace {

// What people call the games, and which rule set that mostly is.
constexpr std::pair<std::string_view, std::string_view> kCommonNames[] = {{"oware", "abapa"}, {"owari", "abapa"}, {"ayo", "abapa"}, {"mancala", "abapa"}, {"awalé", "awale"}};

std::string rule_set_suggestion(std::string_view name, const std::vector<std::string>& names) {
  for (const auto& [common, preset] : kCommonNames) {
    if (name == common) return fmt::format("did you mean '{1}', the rules that {0} is mostly played by? 'wari rules' lists all", common, preset);
  }
  return suggestion(name, names);
}

}  // namespace

Rules preset_rules(std::string_view name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto& [preset, rules] : rule_presets()) {
    if (preset == name) return rules;
    names.push_back(preset);
  }
  throw Error(fmt::format("unknown rule set '{}'{}: {}", name, place.empty() ? "" : " at " + place, rule_set_suggestion(name, names)));
}

Rules parse_rules(std::string_view text) {
  if (!text.empty() && text.front() == '@') return read_rules_file(std::string(text.substr(1)));
  const std::vector<std::string> parts = split_commas(text);
  Rules rules = preset_rules(parts.front(), "");
  std::set<std::string> seen;
  for (std::size_t place = 1; place < parts.size(); ++place) apply_assignment(rules, parts[place], text, seen);
  return rules;
}

std::string rules_name(const Rules& rules) {
  const auto& presets = rule_presets();
  std::size_t nearest = 0;
  for (std::size_t index = 1; index < presets.size(); ++index) {
    if (differences(rules, presets[index].second) < differences(rules, presets[nearest].second)) nearest = index;
  }
  std::string name = presets[nearest].first;
  for (const RuleOption& option : rule_options()) {
    if (option.get(rules) != option.get(presets[nearest].second)) name += fmt::format(",{}={}", option.key, option.text(rules));
  }
  return name;
}

std::uint64_t rules_hash(const Rules& rules) {
  // A bijection of the packed options, so different rules never collide. Widths leave room for values to come; an option to come is folded in where it is not at its default, so that the numbers of before stay.
  std::uint64_t packed = rules.seeds_per_pit;
  const auto append = [&packed](int bits, auto value) { packed = packed << bits | static_cast<std::uint64_t>(value); };
  append(4, rules.capture);
  append(8, rules.grand_slam);
  append(8, rules.laps);
  append(4, rules.no_feeding_move);
  append(8, rules.repetition_occurrences);
  append(4, rules.repetition_award);
  append(16, rules.quiet_plies);
  return mix64(packed + 0x9e3779b97f4a7c15ULL);
}

}  // namespace wari
