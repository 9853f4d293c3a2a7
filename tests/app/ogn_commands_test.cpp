#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/ogn.h"
#include "tests/app/run_wari.h"

// OGN files as a person meets them.
namespace wari {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kExamples = std::string(WARI_SOURCE_DIR) + "/tests/data/rules/games.jsonl";

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(OgnCommands, TheExamplesSurviveTheWayThereAndBack) {
  const TestFolder folder;
  const std::string ogn = folder.path() + "/games.ogn", jsonl = folder.path() + "/games.jsonl";
  EXPECT_EQ(run_wari({"ogn", "from-jsonl", kExamples, "--out", ogn}).status, 0);
  const Ran checked = run_wari({"ogn", "check", ogn, "--json"});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(nlohmann::json::parse(checked.out)["games"], json_lines(content(kExamples)).size());
  EXPECT_EQ(run_wari({"ogn", "to-jsonl", ogn, "--out", jsonl}).status, 0);
  EXPECT_EQ(json_lines(content(jsonl)), json_lines(content(kExamples)));
  EXPECT_EQ(run_wari({"check-rules", jsonl}).status, 0);
  const Ran back = run_wari({"ogn", "from-jsonl", jsonl});
  EXPECT_EQ(back.out, content(ogn)) << "standard output where no file is given";
}

TEST(OgnCommands, AWrongGameFailsTheCheckAndIsRefusedElsewhere) {
  const TestFolder folder;
  const std::string file = folder.file("games.ogn", "1. F e\n2. D b+3 *\n\n[South \"x\"]\n\n1. F e *\n");
  const Ran check = run_wari({"ogn", "check", file});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out, AllOf(HasSubstr("games.ogn:2: "), HasSubstr("wrong capture 'b+3'"), HasSubstr("1 games of 2 plies are right, 1 are not")));
  const auto faults = nlohmann::json::parse(run_wari({"ogn", "check", file, "--json"}).out)["faults"];
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0]["what"].get<std::string>(), HasSubstr("'b+3'"));
  const Ran refused = run_wari({"ogn", "to-jsonl", file});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, AllOf(testing::StartsWith("wari: "), HasSubstr("games.ogn:2")));
  EXPECT_EQ(run_wari({"ogn", "check", folder.path() + "/none"}).status, 2);
  const Ran lines = run_wari({"ogn", "from-jsonl", file});
  EXPECT_EQ(lines.status, 2);
  EXPECT_THAT(lines.err, HasSubstr("games.ogn:1"));
  EXPECT_THAT(run_wari({"ogn", "check", folder.file("house.ogn", "[Variant \"House\"]\nF e\n")}).out, HasSubstr("unknown variant 'House'"));
  EXPECT_EQ(run_wari({"ogn", "check", folder.path() + "/house.ogn", "--rules", "warri"}).status, 0);
}

TEST(OgnCommands, WhatIsReadIsNotWrittenOverAndNoDeviceReplaced) {
  const TestFolder folder;
  const std::string file = folder.file("line.ogn", "FbEa"), pipe = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Ran same = run_wari({"ogn", "to-jsonl", file, "--out", folder.path() + "/../" + std::filesystem::path(folder.path()).filename().string() + "/line.ogn"});
  EXPECT_EQ(same.status, 2);
  EXPECT_THAT(same.err, HasSubstr("read and written at once"));
  EXPECT_EQ(content(file), "FbEa");
  for (const Ran& ran : {run_wari({"ogn", "to-jsonl", file, "--out", pipe}), run_wari({"match", "--a", "greedy", "--b", "random", "--games", "2", "--rules", "warri", "--ogn", pipe})}) {
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr("a device or a pipe"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(OgnCommands, AGameThatNobodyFinishedIsALineThatChecks) {
  const TestFolder folder;
  const Ran ran = run_wari({"ogn", "to-jsonl", folder.file("line.ogn", "FbEa")});
  EXPECT_EQ(nlohmann::json::parse(ran.out)["ended"], "limit");
  EXPECT_EQ(run_wari({"check-rules", folder.file("line.jsonl", ran.out)}).status, 0);
}

TEST(OgnCommands, MatchesTournamentsAndSelfPlayKeepTheirGames) {
  const TestFolder folder;
  const std::string match = folder.path() + "/match.ogn", tournament = folder.path() + "/tournament.ogn", selfplay = folder.path() + "/selfplay.ogn";
  EXPECT_EQ(run_wari({"match", "--a", "greedy", "--b", "random", "--games", "6", "--rules", "warri", "--ogn", match}).status, 0);
  std::vector<OgnGame> games = read_ogn(content(match), match);
  ASSERT_EQ(games.size(), 6u);
  EXPECT_EQ(*games[3].tag("Round"), "2.2");
  EXPECT_EQ(*games[3].tag("South"), "random");
  EXPECT_EQ(*games[2].tag("South"), "greedy");
  for (const OgnGame& game : games) EXPECT_TRUE(game.game.is_over());
  EXPECT_EQ(run_wari({"tournament", "--player", "greedy", "--player", "random", "--player", "alphabeta:depth=1", "--games", "4", "--ogn", tournament}).status, 0);
  EXPECT_EQ(read_ogn(content(tournament), tournament).size(), 12u);
  const std::vector<std::string> play{"selfplay", "--config", "configs/smoke.yaml", "--evaluator", "hash", "--games", "20", "--out", folder.path() + "/out", "--jsonl", folder.path() + "/games.jsonl", "--ogn", selfplay};
  EXPECT_EQ(run_wari(play).status, 0);
  games = read_ogn(content(selfplay), selfplay);
  const std::vector<nlohmann::json> lines = json_lines(content(folder.path() + "/games.jsonl"));
  ASSERT_EQ(games.size(), 20u);
  const std::vector<nlohmann::json> converted = json_lines(run_wari({"ogn", "to-jsonl", selfplay}).out);
  EXPECT_EQ(converted, lines);
  const Ran refused = run_wari({"match", "--a", "greedy", "--b", "random", "--games", "6", "--ogn", folder.path()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("a folder, not a file"));
}

}  // namespace
}  // namespace wari
