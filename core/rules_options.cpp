#include "core/rules_options.h"

#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

template <auto kMember>
RuleOption number(std::string key, std::string range, std::string meaning, bool (*valid)(int)) {
  using Value = std::remove_cvref_t<decltype(Rules{}.*kMember)>;
  return {std::move(key), {}, std::move(range), std::move(meaning), [](const Rules& rules) { return static_cast<int>(rules.*kMember); }, valid,
          [](Rules& rules, int value) { rules.*kMember = static_cast<Value>(value); }};
}

template <auto kMember>
RuleOption choice(std::string key, std::vector<std::string> words, std::string meaning) {
  using Value = std::remove_cvref_t<decltype(Rules{}.*kMember)>;
  return {std::move(key), std::move(words), "", std::move(meaning), [](const Rules& rules) { return static_cast<int>(rules.*kMember); }, [](int) { return true; },
          [](Rules& rules, int value) { rules.*kMember = static_cast<Value>(value); }};
}

std::vector<RuleOption> make_options() {
  std::vector<RuleOption> options;
  options.push_back(number<&Rules::seeds_per_pit>("seeds_per_pit", "1 to 6", "seeds in each pit at the start; half of all seeds plus one wins", [](int value) { return value >= 1 && value <= 6; }));
  options.push_back(choice<&Rules::capture>("capture", {"mandatory", "optional"}, "whether a capture that is due may be declined ('C-')"));
  options.push_back(choice<&Rules::grand_slam>("grand_slam", {"captures_nothing", "forbidden_unless_only", "moves_again", "forbidden", "opponent_takes_rest", "spares_last", "spares_first"},
                                               "what a capture of every seed in the opponent's row does"));
  options.push_back(choice<&Rules::laps>("laps", {"single", "two", "relay_until_capture", "relay"}, "what happens when the last seed falls in a pit that holds seeds"));
  options.push_back(choice<&Rules::no_feeding_move>("no_feeding_move", {"ends", "plays_on"}, "when the opponent's row is empty and no move feeds it: the game ends, or any move may be played"));
  options.push_back(number<&Rules::repetition_occurrences>("repetition.occurrences", "0 (never) or 2 to 10", "the occurrence of a position since the last capture that ends the game",
                                                           [](int value) { return value == 0 || (value >= 2 && value <= 10); }));
  options.push_back(choice<&Rules::repetition_award>("repetition.award", {"own_rows", "split"}, "who takes the seeds on the board when a repeated position ends the game"));
  options.push_back(number<&Rules::quiet_plies>("quiet_plies", "0 (never) to 10000", "plies without a capture after which the game ends and each takes the own row", [](int value) { return value >= 0 && value <= 10000; }));
  return options;
}

std::string suffix(const std::string& place) { return place.empty() ? "" : " at " + place; }

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  for (const RuleOption& option : rule_options()) keys.push_back(option.key);
  return keys;
}

int parse_value(const RuleOption& option, const std::string& value, const std::string& place) {
  for (std::size_t index = 0; index < option.words.size(); ++index) {
    if (option.words[index] == value) return static_cast<int>(index);
  }
  if (!option.words.empty()) {
    throw Error(fmt::format("unknown value '{}' of rule option '{}'{}: {}", value, option.key, suffix(place), suggestion(value, option.words)));
  }
  int parsed = 0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error == std::errc::invalid_argument || rest != value.data() + value.size()) throw Error(fmt::format("'{}' is no number for rule option '{}'{}: write {}", value, option.key, suffix(place), option.range));
  if (error != std::errc() || !option.valid(parsed)) throw Error(fmt::format("rule option '{}' is out of range: '{}'{}: write {}", option.key, value, suffix(place), option.range));
  return parsed;
}

}  // namespace

const std::vector<RuleOption>& rule_options() {
  static const std::vector<RuleOption> options = make_options();
  return options;
}

std::string RuleOption::text(const Rules& rules) const {
  const int value = get(rules);
  return words.empty() ? std::to_string(value) : words[static_cast<std::size_t>(value)];
}

void set_rule_option(Rules& rules, const std::string& key, const std::string& value, const std::string& place) {
  for (const RuleOption& option : rule_options()) {
    if (option.key == key) return option.set(rules, parse_value(option, value, place));
  }
  throw Error(fmt::format("unknown rule option '{}'{}: {}", key, suffix(place), suggestion(key, option_keys())));
}

}  // namespace wari
