#include "core/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/rules_files.h"
#include "core/rules_options.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_rules(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

std::filesystem::path write_yaml(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("wari_rules_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << text;
  return path;
}

TEST(RuleSets, DefaultIsAbapa) {
  EXPECT_EQ(parse_rules("abapa"), Rules{});
  EXPECT_EQ(Rules{}.total_seeds(), 48);
  EXPECT_EQ(Rules{}.majority(), 25);
  EXPECT_EQ(parse_rules("short").total_seeds(), 72);
  EXPECT_EQ(parse_rules("short").majority(), 37);
}

TEST(RuleSets, PresetsAreThoseOfTheDocumentation) {
  std::vector<std::string> names;
  for (const auto& [name, rules] : rule_presets()) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("abapa", "wari", "warri", "awale", "two-lap", "relay", "relay-literal", "short", "zillions", "awari"));
  EXPECT_EQ(parse_rules("wari").grand_slam, GrandSlam::forbidden_unless_only);
  EXPECT_EQ(parse_rules("warri").grand_slam, GrandSlam::moves_again);
  EXPECT_EQ(parse_rules("awale").capture, Capture::optional);
  EXPECT_EQ(parse_rules("two-lap").laps, Laps::two);
  EXPECT_EQ(parse_rules("relay").laps, Laps::relay_until_capture);
  EXPECT_EQ(parse_rules("relay-literal").laps, Laps::relay);
  EXPECT_EQ(parse_rules("zillions").no_feeding_move, NoFeedingMove::plays_on);
  EXPECT_EQ(parse_rules("awari"), parse_rules("wari,repetition.occurrences=3,repetition.award=split"));
}

TEST(RuleSets, OptionsChangeAPreset) {
  const Rules rules = parse_rules("warri,laps=two,repetition.occurrences=3,quiet_plies=10000,seeds_per_pit=1");
  EXPECT_EQ(rules.grand_slam, GrandSlam::moves_again);
  EXPECT_EQ(rules.laps, Laps::two);
  EXPECT_EQ(rules.repetition_occurrences, 3);
  EXPECT_EQ(rules.quiet_plies, 10000);
  EXPECT_EQ(rules.seeds_per_pit, 1);
}

TEST(RuleSets, NamesAreReadBackAsTheSameRules) {
  for (const Rules& rules : many_rule_sets(2000)) ASSERT_EQ(parse_rules(rules_name(rules)), rules) << rules_name(rules);
  EXPECT_EQ(rules_name(parse_rules("abapa,grand_slam=moves_again")), "warri");
  EXPECT_EQ(rules_name(parse_rules("abapa,laps=two,quiet_plies=50")), "two-lap,quiet_plies=50");
}

TEST(RuleSets, MistakesAreNamedWithTheNearestWord) {
  EXPECT_THAT(refusal("abappa"), testing::AllOf(testing::HasSubstr("'abappa'"), testing::HasSubstr("'abapa'")));
  EXPECT_THAT(refusal("abapa,lapps=two"), testing::AllOf(testing::HasSubstr("'lapps'"), testing::HasSubstr("'laps'")));
  EXPECT_THAT(refusal("abapa,laps=three"), testing::AllOf(testing::HasSubstr("'three'"), testing::HasSubstr("'two'")));
  EXPECT_THAT(refusal("abapa,seeds_per_pit=9"), testing::AllOf(testing::HasSubstr("seeds_per_pit"), testing::HasSubstr("'9'"), testing::HasSubstr("1 to 6")));
  EXPECT_THAT(refusal("abapa,repetition.occurrences=1"), testing::HasSubstr("2 to 10"));
  EXPECT_THAT(refusal("abapa,quiet_plies=10001"), testing::HasSubstr("10000"));
  EXPECT_THAT(refusal("abapa,quiet_plies=99999999999999"), testing::HasSubstr("10000"));
  EXPECT_THAT(refusal("abapa,quiet_plies=many"), testing::HasSubstr("'many'"));
  EXPECT_THAT(refusal("abapa,quiet_plies="), testing::HasSubstr("quiet_plies"));
  EXPECT_THAT(refusal("abapa,quiet_plies"), testing::HasSubstr("no value"));
  EXPECT_THAT(refusal("abapa,laps=two,laps=single"), testing::HasSubstr("twice"));
  EXPECT_THAT(refusal(""), testing::HasSubstr("unknown rule set"));
  EXPECT_THAT(refusal("@no/such.yaml"), testing::HasSubstr("no/such.yaml"));
}

TEST(RuleSets, HashesDifferExactlyWhereRulesDiffer) {
  std::set<std::string> names;
  std::set<std::uint64_t> hashes;
  for (const Rules& rules : many_rule_sets(5000)) {
    names.insert(rules_name(rules));
    hashes.insert(rules_hash(rules));
  }
  EXPECT_EQ(names.size(), hashes.size());
  EXPECT_EQ(rules_hash(parse_rules("abapa")), 1536290988148688766ULL);  // stored in files: must not change
}

// Whoever adds an option is told here what else must know it.
TEST(RuleSets, EveryOptionIsPartOfNameHashAndJson) {
  for (const auto& [name, preset] : rule_presets()) {
    for (const RuleOption& option : rule_options()) {
      for (int value = 0; value <= (option.words.empty() ? 450 : static_cast<int>(option.words.size()) - 1); ++value) {
        if (!option.valid(value) || value == option.get(preset)) continue;
        Rules changed = preset;
        option.set(changed, value);
        ASSERT_NE(changed, preset) << option.key;
        ASSERT_NE(rules_hash(changed), rules_hash(preset)) << name << ", " << option.key << " " << value;
        ASSERT_EQ(parse_rules(rules_name(changed)), changed) << option.key << " " << value;
        ASSERT_EQ(rules_from_json(nlohmann::json(rules_to_json(changed)), "here"), changed) << option.key << " " << value;
      }
    }
  }
}

TEST(RuleSets, TheMixesOfTheTestsVaryEveryOption) {
  for (const RuleOption& option : rule_options()) {
    std::set<int> values;
    for (std::uint64_t number = 0; number < 200; ++number) values.insert(option.get(random_mix(number)));
    EXPECT_GE(values.size(), std::max<std::size_t>(2, option.words.size())) << option.key << ": tests/core/rule_mixes.h";
  }
}

TEST(RuleSets, JsonRoundTrips) {
  for (const Rules& rules : many_rule_sets(500)) ASSERT_EQ(rules_from_json(nlohmann::json(rules_to_json(rules)), "here"), rules);
  EXPECT_EQ(rules_to_json(Rules{}).dump(),
            R"({"seeds_per_pit":4,"capture":"mandatory","grand_slam":"captures_nothing","laps":"single","no_feeding_move":"ends","repetition":{"occurrences":2,"award":"own_rows"},"quiet_plies":400})");
}

TEST(RuleSets, FilesChangeAPresetToo) {
  const auto path = write_yaml("laps: two\npreset: warri\nrepetition:\n  occurrences: 3\n");
  EXPECT_EQ(parse_rules("@" + path.string()), parse_rules("warri,laps=two,repetition.occurrences=3"));
  std::filesystem::remove(path);
}

TEST(RuleSets, FilesAreReadStrictlyWithTheLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"preset: abapa\nlapps: two\n", ":2"},  {"laps: two\nlaps: single\n", ":2"}, {"preset: abappa\n", ":1"},         {"\n\nlaps: three\n", ":3"},
      {"- laps\n", ":1"},                     {"laps: [two]\n", ":1"},             {"repetition: {occurences: 3}\n", ":1"}, {"a: [1\nb: }", "wari_rules"}};
  for (const auto& [text, word] : cases) {
    const auto path = write_yaml(text);
    EXPECT_THAT(refusal("@" + path.string()), testing::HasSubstr(word)) << text;
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace wari
