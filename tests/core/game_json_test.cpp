#include "core/game_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/ogn.h"

namespace wari {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> example_lines() {
  std::ifstream in(std::string(WARI_SOURCE_DIR) + "/tests/data/rules/games.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string refusal(nlohmann::json json, const std::function<void(nlohmann::json&)>& spoil) {
  spoil(json);
  try {
    game_from_json(json.dump(), "games.jsonl:7");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GameJson, EveryExampleSurvivesJsonAndOgn) {
  const std::vector<std::string> lines = example_lines();
  EXPECT_GT(lines.size(), 50u);
  for (const std::string& line : lines) {
    const nlohmann::json json = nlohmann::json::parse(line);
    const NamedGame named = game_from_json(line, "games.jsonl:1");
    EXPECT_EQ(nlohmann::json::parse(game_to_json(named).dump()), json);
    OgnGame written(named.game);
    written.ended = named.ended;
    const std::vector<OgnGame> read = read_ogn(ogn_text(written), "text");
    ASSERT_EQ(read.size(), 1u) << line;
    EXPECT_EQ(nlohmann::json::parse(game_to_json({read[0].game, named.set, read[0].ended}).dump()), json);
  }
}

TEST(GameJson, WhatDoesNotFitTheRulesIsRefused) {
  const nlohmann::json json = nlohmann::json::parse(example_lines().front());
  EXPECT_EQ(refusal(json, [](auto&) {}), "accepted");
  const auto expect = [&json](const std::function<void(nlohmann::json&)>& spoil, const std::string& said) {
    EXPECT_THAT(refusal(json, spoil), AllOf(HasSubstr("games.jsonl:7"), HasSubstr(said)));
  };
  expect([](auto& j) { j["plies"] = 3; }, "wrong plies '3'");
  expect([](auto& j) { j["stores"] = {1, 2}; }, "wrong stores '[1,2]'");
  expect([](auto& j) { j["ended"] = "table"; }, "the rules ended this game");
  expect([](auto& j) { j["moves"] = "FF"; }, "illegal move 2: 'F'");
  expect([](auto& j) { j["start"] = "4-4"; }, "'4-4'");
  expect([](auto& j) { j["rules"].erase("laps"); }, "'laps' is missing");
  expect([](auto& j) { j.erase("moves"); }, "not a game");
  expect([](auto& j) { j["moves"] = 5; }, "not a game");
  expect([](auto& j) { j = nlohmann::json::array(); }, "not a game");
  expect([](auto& j) { j["moves"] = "", j["plies"] = 0, j["stores"] = {0, 0}; }, "goes on");
  expect([](auto& j) { j["moves"] = "", j["plies"] = 0, j["stores"] = {0, 0}, j["ended"] = "tabel"; }, "'table'");
}

}  // namespace
}  // namespace wari
