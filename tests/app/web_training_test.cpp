#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/server/run_curves.h"
#include "arena/results.h"
#include "core/game.h"
#include "core/notation.h"
#include "search/move_log.h"
#include "selfplay/record.h"
#include "tests/app/run_wari.h"
#include "tests/app/web_client.h"
#include "tests/selfplay/fake_games.h"

// What the server shows of a run, with files as a run leaves them at any moment.
namespace wari {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A run's folder written by hand.
class WebTrainingTest : public testing::Test {
 protected:
  WebTrainingTest() {
    std::filesystem::create_directory(run() + "/replay");
    folder_.file("run/config.yaml", "seed: 1   # comment\nselfplay:\n  lanes: 64\n  search:\n    c_puct: 1.5\nlist: [a, b]\n");
  }
  std::string run() {
    std::filesystem::create_directory(folder_.path() + "/run");
    return folder_.path() + "/run";
  }
  WebServerSettings settings() {
    WebServerSettings settings = test_settings();
    settings.api.run = run();
    return settings;
  }
  void append(const std::string& text) { std::ofstream(run() + "/metrics.jsonl", std::ios::app) << text; }
  static std::string line(int iteration, double loss) {
    return json{{"iteration", iteration}, {"training", {{"policy_divergence", loss}, {"value_loss", nullptr}}}, {"games", {{"mean_plies", 80}, {"ends", {{"repetition", 0.25}}}}}}.dump() + "\n";
  }

  TestFolder folder_;
};

TEST_F(WebTrainingTest, ARunThatHasNotBegunIsEmpty) {
  const WebServer server(settings());
  const Answer training = get(server.port(), "/api/training");
  ASSERT_EQ(training.status, 200) << training.body;
  EXPECT_EQ(training.json()["iterations"], 0);
  EXPECT_EQ(training.json()["latest"], nullptr);
  EXPECT_EQ(training.json()["seconds_since_last"], nullptr);
  EXPECT_EQ(training.json()["curves"], json::object());
  EXPECT_EQ(training.json()["config"]["selfplay.search.c_puct"], "1.5");
  EXPECT_EQ(training.json()["config"]["list"], "a, b");
  EXPECT_EQ(get(server.port(), "/api/games").json(), (json{{"iteration", nullptr}, {"total", 0}, {"games", json::array()}}));
  EXPECT_EQ(get(server.port(), "/api/checkpoints").json(), (json{{"checkpoints", json::array()}}));
  EXPECT_EQ(get(server.port(), "/api/about").json()["engine"]["judge"], "rollouts");
  EXPECT_EQ(get(server.port(), "/api/about").json()["run"], "run");
}

TEST_F(WebTrainingTest, LinesAreReadAsTheyAreFinished) {
  const WebServer server(settings());
  const auto training = [&](const std::string& query = "") { return get(server.port(), "/api/training" + query).json(); };
  append(line(1, 0.9));
  const std::string second = line(2, 0.8);
  append(second.substr(0, 30));
  EXPECT_EQ(training()["iterations"], 1) << "half a line is not read";
  append(second.substr(30));
  EXPECT_EQ(training()["iterations"], 2);
  EXPECT_EQ(training()["curves"]["policy_divergence"], (json::array({{1, 0.9}, {2, 0.8}})));
  EXPECT_EQ(training()["curves"]["repetition_share"], (json::array({{1, 0.25}, {2, 0.25}})));
  EXPECT_FALSE(training()["curves"].contains("value_loss")) << "there is no number in it";
  EXPECT_EQ(training("?since=1")["curves"]["policy_divergence"], (json::array({{2, 0.8}})));
  EXPECT_EQ(training()["latest"]["iteration"], 2);
  append("garbage\n{\"iteration\": \"x\"}\n" + line(3, 0.7));
  EXPECT_EQ(training()["iterations"], 3);
  std::filesystem::remove(run() + "/metrics.jsonl");
  append(line(1, 0.5));
  EXPECT_EQ(training()["curves"]["policy_divergence"], (json::array({{1, 0.5}}))) << "a run that was begun anew";
  EXPECT_EQ(get(server.port(), "/api/training?since=-1").status, 400);
  EXPECT_EQ(get(server.port(), "/api/training?until=3").status, 400);
}

TEST_F(WebTrainingTest, LongCurvesAreThinned) {
  std::string all;
  for (int i = 1; i <= 1700; ++i) all += line(i, i);
  append(all);
  const WebServer server(settings());
  const json points = get(server.port(), "/api/training").json()["curves"]["policy_divergence"];
  ASSERT_EQ(points.size(), kMostCurvePoints);
  EXPECT_EQ(points[0][1], 2) << "the mean of 1, 2 and 3";
  EXPECT_EQ(points.back()[0], 1700);
  EXPECT_EQ(get(server.port(), "/api/training?since=1300").json()["curves"]["policy_divergence"].size(), 400u);
}

TEST_F(WebTrainingTest, TheEloCurveComesFromTheResults) {
  const WebServer server(settings());
  EXPECT_FALSE(get(server.port(), "/api/training").json()["curves"].contains("elo"));
  EXPECT_FALSE(std::filesystem::exists(run() + "/results.sqlite")) << "nothing is made by looking";
  {
    ResultsDatabase database(run() + "/results.sqlite");
    for (int iteration : {10, 20}) {
      StoredMatch match;
      match.key = "match " + std::to_string(iteration);
      match.iteration = iteration;
      match.a = "iteration " + std::to_string(iteration);
      match.b = "random";
      match.rules = "abapa";
      match.first = match.second = {20 + iteration, 2, 10};
      database.insert(match);
    }
  }
  const json elo = get(server.port(), "/api/training").json()["curves"]["elo"];
  ASSERT_EQ(elo.size(), 2u);
  EXPECT_EQ(elo[0][0], 10);
  EXPECT_GT(elo[1][1], elo[0][1]);
  EXPECT_GT(elo[0][2], 1);
}

TEST_F(WebTrainingTest, GamesOfTheNewestShardAreShown) {
  RecordHeader header;
  header.run_id = "run";
  header.rules = {parse_rules("abapa"), parse_rules("awale,repetition.award=split")};
  std::vector<GameRecord> games = test::fake_games(header.rules[0], 0, 20);
  for (GameRecord game : test::fake_games(header.rules[1], 20, 20)) {
    game.rules_index = 1;
    games.push_back(game);
  }
  write_records(run() + "/replay/000001.games", header, std::span(games).first(5));
  write_records(run() + "/replay/000010.games", header, games);
  folder_.file("run/replay/000011.games.tmp", "half");
  folder_.file("run/replay/000012.games", "damaged");
  const WebServer server(settings());
  const json all = get(server.port(), "/api/games?count=100").json();
  EXPECT_EQ(all["iteration"], 10);
  EXPECT_EQ(all["total"], 40);
  ASSERT_EQ(all["games"].size(), 40u);
  for (const json& shown : all["games"]) {
    const Answer replayed = post(server.port(), "/api/game", {{"rules", shown["rules"]}, {"start", shown["start"]}, {"moves", shown["moves"]}});
    ASSERT_EQ(replayed.status, 200) << replayed.body;
    EXPECT_EQ(replayed.json()["end"], shown["ended"]);
    EXPECT_EQ(replayed.json()["result"]["south"], shown["stores"][0]);
    EXPECT_EQ(replayed.json()["plies"].size(), shown["plies"].size());
    EXPECT_EQ(replayed.json()["plies"][0]["move"], shown["plies"][0]["move"]);
    for (std::size_t i = 0; i < shown["plies"].size(); ++i) {
      const json& ply = shown["plies"][i];
      const std::uint8_t flags = games[shown["id"]].plies[i].flags;
      ASSERT_EQ(ply["value"].is_null(), (flags & (kFlagRandom | kFlagForced)) != 0) << i;
      EXPECT_LE(std::abs(ply["value"].is_null() ? 0.0 : ply["value"].get<double>()), 1);
      EXPECT_TRUE(ply["policy"].is_null() || (ply["policy"] >= 0 && ply["policy"] <= 1));
    }
  }
  EXPECT_EQ(get(server.port(), "/api/games?count=3&from=38").json()["games"].size(), 2u);
  EXPECT_EQ(get(server.port(), "/api/games").json()["games"].size(), 20u);
  EXPECT_EQ(get(server.port(), "/api/games?count=1000").status, 400);
}

// A run may come from somebody else, with links to what only this machine's owner may read.
TEST_F(WebTrainingTest, LinksThatLeadOutOfTheRunAreNotFollowed) {
  append(line(1, 0.9));
  RecordHeader header;
  header.run_id = "run";
  header.rules = {parse_rules("abapa")};
  write_records(run() + "/replay/000001.games", header, test::fake_games(header.rules[0], 0, 3));
  {
    const WebServer server(settings());
    EXPECT_EQ(get(server.port(), "/api/games").json()["total"], 3);
    EXPECT_EQ(get(server.port(), "/api/training").json()["iterations"], 1);
  }
  for (const char* name : {"config.yaml", "metrics.jsonl", "replay/000001.games"}) {
    const std::string outside = folder_.path() + "/outside-" + std::filesystem::path(name).filename().string();
    std::filesystem::rename(run() + "/" + name, outside);
    std::filesystem::create_symlink(outside, run() + "/" + name);
  }
  const WebServer server(settings());
  EXPECT_EQ(get(server.port(), "/api/training").json()["config"], json::object());
  EXPECT_EQ(get(server.port(), "/api/training").json()["iterations"], 0);
  EXPECT_EQ(get(server.port(), "/api/games").json()["iteration"], nullptr);
  std::filesystem::remove(run() + "/config.yaml");
  folder_.file("run/other.yaml", "seed: 7\n");
  std::filesystem::create_symlink("other.yaml", run() + "/config.yaml");
  EXPECT_EQ(get(server.port(), "/api/training").json()["config"], (json{{"seed", "7"}})) << "within the run they are";
}

TEST(WebTraining, WithoutARunThereIsNothingToWatch) {
  const WebServer server(test_settings());
  for (const char* path : {"/api/training", "/api/games"}) {
    EXPECT_EQ(get(server.port(), path).status, 404);
    EXPECT_THAT(get(server.port(), path).error(), HasSubstr("--run"));
  }
  EXPECT_EQ(get(server.port(), "/api/checkpoints").json()["checkpoints"], json::array());
  EXPECT_EQ(get(server.port(), "/api/match").json(), (json{{"match", nullptr}}));
  EXPECT_EQ(ask(server.port(), "DELETE", "/api/match").json(), (json{{"match", nullptr}}));
}

}  // namespace
}  // namespace wari
