#include "core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace wari {
namespace {

using testing::HasSubstr;

enum class Schedule { constant, cosine };

struct InnerSettings {
  int lanes = 512;
  double temperature = 1.5;
  template <class Visitor>
  void fields(Visitor& v) {
    v.number("lanes", lanes, 1, 1 << 20, "games at once");
    v.number("temperature", temperature, 0.0, 10.0, "of the first moves");
  }
};

struct SampleSettings {
  std::uint64_t seed = 1;
  int iterations = 6;
  double learning_rate = 5e-3;
  bool amp = false;
  std::string device = "auto";
  std::string run;
  Schedule schedule = Schedule::cosine;
  Weights rules{{"abapa", 1}};
  std::vector<std::string> opponents{"random", "alphabeta:depth=4"};
  InnerSettings selfplay;
  template <class Visitor>
  void fields(Visitor& v) {
    v.number("seed", seed, 0, UINT64_MAX, "of all random numbers");
    v.number("iterations", iterations, 1, 1'000'000, "until the end");
    v.number("learning_rate", learning_rate, 1e-8, 1.0, "peak");
    v.flag("amp", amp, "mixed precision");
    v.choice("device", device, {"auto", "cpu", "cuda"}, "where");
    v.text("run", run, "folder");
    v.choice("schedule", schedule, {"constant", "cosine"}, "of the learning rate");
    v.weights("rules", rules, "what is played");
    v.list("opponents", opponents, "for evaluation");
    v.group("selfplay", selfplay, "how games are made");
  }
};

SampleSettings load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  ConfigSource source = ConfigSource::from_text(text, "test.yaml");
  for (const std::string& o : overrides) source.override_with(o);
  SampleSettings settings;
  load_config(settings, source);
  return settings;
}

std::string message(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    load(text, overrides);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "(no error)";
}

TEST(Config, ReadsEveryKindOfField) {
  const SampleSettings s = load(
      "seed: 9223372036854775807\niterations: 3\nlearning_rate: 1e-3  # not part of the value\namp: true\ndevice: cpu\nrun: \"a # b\"\nschedule: constant\n"
      "rules: {abapa: 3, warri: 1}\nopponents: [greedy]\nselfplay:\n  lanes: 7\n");
  EXPECT_EQ(s.seed, 9223372036854775807u);
  EXPECT_EQ(s.iterations, 3);
  EXPECT_EQ(s.learning_rate, 1e-3);
  EXPECT_TRUE(s.amp);
  EXPECT_EQ(s.device, "cpu");
  EXPECT_EQ(s.run, "a # b");
  EXPECT_EQ(s.schedule, Schedule::constant);
  EXPECT_EQ(s.rules, (Weights{{"abapa", 3}, {"warri", 1}}));
  EXPECT_EQ(s.opponents, std::vector<std::string>{"greedy"});
  EXPECT_EQ(s.selfplay.lanes, 7);
  EXPECT_EQ(s.selfplay.temperature, 1.5) << "what a file does not mention keeps its default";
}

TEST(Config, PrintedConfigurationReadsBackAsTheSame) {
  SampleSettings s = load(
      "run: \"a: b, 'c' # \\\"d\\\" null\"\nrules: {\"warri,laps=two,repetition.occurrences=3\": 2, abapa: 1}\nlearning_rate: 0.1234567890123\nopponents: "
      "[\"search:checkpoint=a,visits=64\", \"\"]\n");
  const std::string text = config_yaml(s);
  SampleSettings again = load(text);
  EXPECT_EQ(config_values(again), config_values(s)) << text;
  EXPECT_EQ(again.run, s.run);
  EXPECT_EQ(again.rules, s.rules);
  EXPECT_EQ(again.opponents, s.opponents);
  EXPECT_EQ(config_yaml(again), text);
  EXPECT_THAT(text, HasSubstr("# games at once"));
  for (const ConfigField& field : config_fields(s)) EXPECT_FALSE(field.comment.empty()) << field.key;
}

TEST(Config, KeyGivenTwiceIsRefusedWithBothLines) {
  const std::string text = message("seed: 1\namp: true\nseed: 2\n");
  EXPECT_THAT(text, HasSubstr("'seed' is given twice"));
  EXPECT_THAT(text, HasSubstr("test.yaml:3"));
  EXPECT_THAT(text, HasSubstr("test.yaml:1"));
  EXPECT_THAT(message("selfplay:\n  lanes: 1\n  lanes: 1\n"), HasSubstr("test.yaml:3"));
  EXPECT_THAT(message("selfplay: {lanes: 1}\nselfplay: {lanes: 1}\n"), HasSubstr("twice"));
}

TEST(Config, UnknownKeyNamesLineAndNearestKey) {
  EXPECT_THAT(message("seed: 1\n\n# comment\niteratons: 3\n"), testing::AllOf(HasSubstr("'iteratons'"), HasSubstr("test.yaml:4"), HasSubstr("'iterations'")));
  EXPECT_THAT(message("selfplay:\n  lannes: 3\n"), testing::AllOf(HasSubstr("'selfplay.lannes'"), HasSubstr("test.yaml:2"), HasSubstr("'lanes'")));
  EXPECT_THAT(message("", {"no.such.key=1"}), testing::AllOf(HasSubstr("no"), HasSubstr("--set no.such.key")));
}

TEST(Config, WrongNestingIsAnErrorThatSaysWhereTheKeyBelongs) {
  EXPECT_THAT(message("lanes: 3\n"), HasSubstr("it belongs at 'selfplay.lanes'"));
  EXPECT_THAT(message("seed:\n  lanes: 3\n"), HasSubstr("'seed' cannot be a group of keys"));
  EXPECT_THAT(message("selfplay: 3\n"), testing::AllOf(HasSubstr("'selfplay'"), HasSubstr("group")));
  EXPECT_THAT(message("selfplay:\n  seed: 3\n"), HasSubstr("selfplay.seed"));
  EXPECT_THAT(message("selfplay:\nseed: 3\n"), HasSubstr("no value"));
}

TEST(Config, EveryNumberRefusesWhatIsOutOfRangeOrNoNumber) {
  const std::vector<std::string> bad{"0.5x",
                                     "many",
                                     "1e30",
                                     "-1e30",
                                     "9223372036854775808",
                                     "99999999999999999999999",
                                     "-9223372036854775809",
                                     "nan",
                                     ".nan",
                                     "inf",
                                     ".inf",
                                     "-.inf",
                                     "",
                                     "0x10",
                                     "1_0",
                                     "+",
                                     "1,5",
                                     "[1]",
                                     "{}",
                                     "~",
                                     "\"3\"",
                                     "1e400",
                                     "true"};
  for (const std::string key : {"seed", "iterations", "learning_rate"}) {
    for (const std::string& value : bad) {
      EXPECT_THAT(message(key + ": " + value + "\n"), testing::AllOf(HasSubstr("'" + key + "'"), HasSubstr("test.yaml:1"), HasSubstr("number from"))) << value;
    }
    EXPECT_THAT(message("", {key + "=1e400"}), HasSubstr("--set " + key));
  }
  EXPECT_THAT(message("iterations: 2.0\n"), HasSubstr("whole number from 1 to 1000000"));
  EXPECT_THAT(message("iterations: 0\n"), HasSubstr("'0'"));
  EXPECT_THAT(message("seed: -1\n"), HasSubstr("'-1'"));
  EXPECT_THAT(message("learning_rate: 1.0001\n"), HasSubstr("'1.0001'"));
}

TEST(Config, WordsAreChecked) {
  EXPECT_THAT(message("device: gpu\n"), testing::AllOf(HasSubstr("'gpu'"), HasSubstr("cuda")));
  EXPECT_THAT(message("schedule: cosin\n"), HasSubstr("did you mean 'cosine'"));
  EXPECT_THAT(message("amp: yes\n"), HasSubstr("true or false"));
  EXPECT_THAT(message("amp: 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(message("opponents: random\n"), HasSubstr("a list"));
  EXPECT_THAT(message("rules: [abapa]\n"), HasSubstr("'rules'"));
  EXPECT_THAT(message("rules: {abapa: 0}\n"), HasSubstr("'rules.abapa'"));
  EXPECT_THAT(message("rules: {abapa: 1.5}\n"), HasSubstr("whole weight"));
  EXPECT_THAT(message("rules: {}\n"), HasSubstr("a name, or a map"));
}

TEST(Config, LaterOverrideHolds) {
  EXPECT_EQ(load("selfplay: {lanes: 4}\n", {"selfplay.lanes=8", "selfplay.lanes=16"}).selfplay.lanes, 16);
  EXPECT_EQ(load("", {"selfplay.lanes=8"}).selfplay.lanes, 8);
  EXPECT_EQ(load("rules: {abapa: 3, warri: 1}\n", {"rules=warri"}).rules, (Weights{{"warri", 1}}));
  EXPECT_EQ(load("", {"rules={abapa: 3, warri: 1}"}).rules, (Weights{{"abapa", 3}, {"warri", 1}}));
  EXPECT_EQ(load("", {"rules=warri,laps=two"}).rules, (Weights{{"warri,laps=two", 1}}));
  EXPECT_EQ(load("", {"run=a=b"}).run, "a=b");
  EXPECT_EQ(load("", {"run="}).run, "");
}

TEST(Config, BrokenOverrideIsNamed) {
  EXPECT_THAT(message("", {"abc"}), HasSubstr("abc"));
  EXPECT_THAT(message("", {"=1"}), HasSubstr("=1"));
  EXPECT_THAT(message("", {"selfplay..lanes=1"}), HasSubstr("empty part"));
  EXPECT_THAT(message("seed: 1\n", {"seed.x=1"}), HasSubstr("'seed.x'"));
  EXPECT_THAT(message("", {"selfplay.lanes=many"}), HasSubstr("selfplay.lanes"));
  EXPECT_THAT(message("", {"rules={abapa: "}), HasSubstr("--set rules"));
}

TEST(Config, WhatIsNoMapOrNoYamlIsRefused) {
  EXPECT_THAT(message("a: [1, 2\nb: }"), testing::AllOf(HasSubstr("YAML"), HasSubstr("test.yaml:")));
  EXPECT_THAT(message("- 1\n- 2\n"), testing::AllOf(HasSubstr("a list"), HasSubstr("test.yaml")));
  EXPECT_THAT(message("just words\n"), HasSubstr("a single value"));
  EXPECT_THAT(message("seed: 1\n---\nseed: 2\n"), HasSubstr("more than one"));
  EXPECT_THAT(message("[a, b]: 1\n"), HasSubstr("key must be a word"));
  EXPECT_THAT(message("a: &a\n  b: *a\n"), testing::Not(HasSubstr("no error"))) << "a mapping that contains itself";
  EXPECT_THAT(message(std::string("seed: 1\0\n", 9)), HasSubstr("zero bytes"));
  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k ? "," : "") + before;
    bomb += "]\n";
  }
  EXPECT_THAT(message(bomb), HasSubstr("too large")) << "aliases that multiply";
}

TEST(Config, FilesThatAreNotThereOrEmptyAreNamed) {
  const auto text_of = [](const std::filesystem::path& file) -> std::string {
    try {
      ConfigSource::from_file(file);
    } catch (const Error& e) {
      return e.what();
    }
    return "(no error)";
  };
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "wari_config_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "empty.yaml").close();
  EXPECT_THAT(text_of("no/such.yaml"), HasSubstr("no/such.yaml"));
  EXPECT_THAT(text_of(folder), HasSubstr("a folder"));
  EXPECT_THAT(text_of(folder / "empty.yaml"), HasSubstr("empty"));
  std::filesystem::remove_all(folder);
}

TEST(Config, DefaultsStayWhereLoadingFails) {
  SampleSettings settings;
  EXPECT_THROW(load_config(settings, ConfigSource::from_text("seed: 5\nnope: 1\n", "test.yaml")), Error);
  EXPECT_EQ(settings.seed, 1u);
}

}  // namespace
}  // namespace wari
