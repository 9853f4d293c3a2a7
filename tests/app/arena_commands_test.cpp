#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/run_wari.h"

// match, tournament and results as a person runs them.
namespace wari {
namespace {

using testing::HasSubstr;

const std::string kBinary = std::string(WARI_BINARY_DIR) + "/wari";

void expect_refused(const std::vector<std::string>& arguments, const std::string& said) {
  const Ran ran = run_wari(arguments);
  EXPECT_EQ(ran.status, 2) << said;
  EXPECT_THAT(ran.err, testing::StartsWith("wari: "));
  EXPECT_THAT(ran.err, HasSubstr(said));
}

TEST(ArenaCommands, AMatchEndsAtTheDecisionOfItsTest) {
  const Ran ran = run_wari({"match", "--a", "alphabeta:depth=3", "--b", "random", "--sprt", "elo0=0,elo1=20,alpha=0.05,beta=0.1", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json match = nlohmann::json::parse(ran.out), sprt = match["sprt"];
  EXPECT_EQ(sprt["decision"], "H1");
  EXPECT_GE(sprt["llr"].get<double>(), sprt["upper"].get<double>());
  EXPECT_NEAR(sprt["upper"].get<double>(), std::log(0.9 / 0.05), 1e-9);
  EXPECT_NEAR(sprt["lower"].get<double>(), std::log(0.1 / 0.95), 1e-9);
  std::int64_t pairs = 0;
  for (const char* points : {"0", "0.5", "1", "1.5", "2"}) pairs += match["pairs_by_points"][points].get<std::int64_t>();
  EXPECT_EQ(2 * pairs, match["games"].get<std::int64_t>());
  EXPECT_LT(match["games"].get<int>(), 400);
  EXPECT_THAT(run_wari({"match", "--a", "random", "--b", "alphabeta:depth=3", "--sprt", "elo0=0,elo1=20"}).out, HasSubstr("H0 is accepted"));
  EXPECT_TRUE(nlohmann::json::parse(run_wari({"match", "--a", "random", "--b", "random", "--games", "2", "--json"}).out)["sprt"].is_null());
}

TEST(ArenaCommands, WrongUseIsNamed) {
  const TestFolder folder;
  expect_refused({"match", "--a", "random", "--b", "random", "--sprt", "elo0=10"}, "elo1 must be above elo0");
  expect_refused({"match", "--a", "random", "--b", "random", "--sprt", "elo=10"}, "'elo0'");
  expect_refused({"match", "--a", "random", "--b", "random", "--games", "5"}, "'5'");
  expect_refused({"match", "--a", "random", "--b", "random", "--games", "2", "--openings", folder.path() + "/none"}, folder.path() + "/none");
  expect_refused({"match", "--a", "random", "--b", "random", "--games", "2", "--openings", folder.file("openings", "Ff\nXx\n")}, "openings:2");
  expect_refused({"match", "--a", "uci:command=" + folder.path() + "/none", "--b", "random", "--games", "2"}, "no such program");
  expect_refused({"tournament", "--player", "random"}, "too few players");
  expect_refused({"tournament", "--player", "random", "--player", "greedy", "--anchor", "random"}, "PLAYER=ELO");
  expect_refused({"tournament", "--player", "random", "--player", "greedy", "--database", folder.file("other", std::string(200, 'x'))}, "other");
  expect_refused({"results", folder.path()}, "no results");
}

TEST(ArenaCommands, ATournamentThatIsStoppedKeepsWhatIsFinishedAndGoesOn) {
  const TestFolder folder;
  const std::string database = folder.path() + "/results.sqlite", out = folder.path() + "/out";
  // The pairing of the two searchers would take minutes. In the foreground, or timeout signals its whole group beside the child, and a second signal ends it at once.
  const std::string command = "timeout --foreground --preserve-status -s TERM 3 " + kBinary +
                              " tournament --player random --player greedy --player alphabeta:depth=12 --player alphabeta:depth=13 --games 400 --database " +
                              database + " --json >" + out + " 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 143);
  std::ifstream in(out);
  const nlohmann::json stopped = nlohmann::json::parse(in);
  EXPECT_FALSE(stopped["complete"].get<bool>());
  EXPECT_GE(stopped["pairings"].size(), 1u);
  const Ran resumed = run_wari({"tournament", "--player", "random", "--player", "greedy", "--games", "400", "--database", database, "--json"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  const nlohmann::json two = nlohmann::json::parse(resumed.out);
  ASSERT_EQ(two["pairings"].size(), 1u);
  EXPECT_TRUE(two["pairings"][0]["was_stored"].get<bool>());
  EXPECT_EQ(two["players"][0]["player"], "greedy");
  EXPECT_NEAR(two["players"][0]["elo"].get<double>(), -two["players"][1]["elo"].get<double>(), 1e-9);
}

TEST(ArenaCommands, ResultsOfSeveralDatabasesStandOnOneScale) {
  const TestFolder folder;
  const std::string one = folder.path() + "/one.sqlite", other = folder.path() + "/other.sqlite", both = folder.path() + "/both.sqlite";
  EXPECT_EQ(run_wari({"tournament", "--player", "random", "--player", "greedy", "--games", "40", "--database", one}).status, 0);
  EXPECT_EQ(run_wari({"tournament", "--player", "greedy", "--player", "alphabeta:depth=3", "--games", "40", "--database", other}).status, 0);
  const Ran ran = run_wari({"results", one, other, "--into", both, "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json tables = nlohmann::json::parse(ran.out)["tables"];
  ASSERT_EQ(tables.size(), 1u);
  const nlohmann::json players = tables[0]["players"];
  ASSERT_EQ(players.size(), 3u);
  EXPECT_EQ(players[0]["player"], "alphabeta:depth=3");
  EXPECT_EQ(players[2]["player"], "random");
  EXPECT_EQ(players[2]["elo"], 0);
  const nlohmann::json copied = nlohmann::json::parse(run_wari({"results", both, "--json"}).out)["tables"][0];
  EXPECT_EQ(copied["players"], players);
  EXPECT_THAT(copied["matches"][0]["version"].get<std::string>(), HasSubstr("search "));
  EXPECT_THAT(run_wari({"results", one, other}).out, testing::AllOf(HasSubstr("alphabeta:depth=3"), HasSubstr("95 % interval")));
  expect_refused({"results", one, "--rules", "awari"}, "'awari'");
}

// Whoever moves takes the majority: the opening decides, and a person is told.
TEST(ArenaCommands, AnOpeningThatDecidesIsTold) {
  const TestFolder folder;
  const Ran ran =
      run_wari({"match", "--a", "greedy", "--b", "greedy", "--games", "100", "--openings", folder.file("openings", "0-0-0-0-0-1-1-1-1-1-1-0-24-18-S")});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("whoever moves first scores 100.0 % +- 0.0"));
  EXPECT_THAT(ran.err, testing::AllOf(HasSubstr("openings or rules decide these games"), HasSubstr("99 of 100 games were repeats")));
}

TEST(ArenaCommands, AProgramThatMisbehavesIsCountedAndTold) {
  const TestFolder folder;
  const std::string path = folder.file(
      "engine", "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove 0000;; quit) exit;; esac; done\n");
  ::chmod(path.c_str(), 0755);
  const std::string player = "uci:command=" + path + ",movetime_ms=1000";
  const Ran ran = run_wari({"match", "--a", "random", "--b", player, "--games", "4", "--workers", "1", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json match = nlohmann::json::parse(ran.out);
  EXPECT_EQ(match["wins"], 4);
  EXPECT_EQ(match["forfeits"]["b"]["illegal_moves"], 4);
  EXPECT_EQ(match["forfeits"]["a"]["illegal_moves"], 0);
  EXPECT_THAT(run_wari({"match", "--a", player, "--b", "random", "--games", "2"}).out, HasSubstr(" lost 2 games by an illegal move"));
}

}  // namespace
}  // namespace wari
