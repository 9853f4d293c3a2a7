#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/server/run_curves.h"
#include "arena/results.h"
#include "core/game.h"
#include "core/notation.h"
#include "search/move_log.h"
#include "selfplay/record.h"
#include "tests/app/run_wari.h"
#include "tests/app/web_client.h"
#include "tests/selfplay/fake_games.h"

// What the server shows of a run, with files as a run leaves them at any moment, and with a run that is really trained.
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

// A run that is really trained, once for all tests of the suite.
class WebRunTest : public testing::Test {
 protected:
  static std::vector<std::string> train(int iterations) {
    return {"train", "--config", "configs/smoke.yaml", "--run", run(), "--set", "iterations=" + std::to_string(iterations), "--set", "selfplay.lanes=64", "--set", "iteration_waves=1500",
            "--set", "network.width=16", "--set", "replay.min_positions=200", "--set", "selfplay.simulations=4", "--set", "device=cpu"};
  }
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const Ran trained = run_wari(train(2));
    ASSERT_EQ(trained.status, 0) << trained.err;
    std::filesystem::create_directory(run() + "/tables");
    ASSERT_EQ(run_wari({"endgame", "build", "--rules", "abapa", "--seeds", "4", "--out", run() + "/tables/abapa-4.table"}).status, 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string run() { return folder_->path() + "/first"; }
  static WebServerSettings settings() {
    WebServerSettings settings = test_settings();
    settings.api.run = run();
    return settings;
  }

  inline static TestFolder* folder_ = nullptr;
};

TEST_F(WebRunTest, ItsCheckpointsAreListedAndPlay) {
  const WebServer server(settings());
  const json list = get(server.port(), "/api/checkpoints").json()["checkpoints"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["name"], "000001");
  EXPECT_EQ(list[1]["newest"], true);
  EXPECT_EQ(list[0]["newest"], false);
  EXPECT_EQ(list[1]["network"], "mlp_2x16");
  EXPECT_EQ(list[1]["rules"], (json{"abapa"}));
  const json about = get(server.port(), "/api/about").json();
  EXPECT_EQ(about["engine"]["checkpoint"], "000002");
  EXPECT_EQ(about["engine"]["judge"], "network");
  EXPECT_EQ(about["engine"]["table_seeds"], 4);
  EXPECT_THAT(get(server.port(), "/api/about?rules=warri").json()["engine"]["note"].get<std::string>(), HasSubstr("'000002' was trained on abapa"));
  for (const char* name : {"000001", "newest", "best", "default"}) {
    const Answer thought = post(server.port(), "/api/think", {{"visits", 50}, {"checkpoint", name}});
    ASSERT_EQ(thought.status, 200) << thought.body;
    EXPECT_EQ(thought.json()["checkpoint"], std::string(name) == "000001" ? "000001" : "000002");
  }
  for (const char* name : {"000003", "..", "../checkpoints/000001", "/etc", "", "000001/"}) EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 5}, {"checkpoint", name}}).status, 404) << name;
}

TEST_F(WebRunTest, TwoCheckpointsAreComparedOnOnePosition) {
  const WebServer server(settings());
  const Answer compared = post(server.port(), "/api/compare", {{"moves", "Ff"}, {"visits", 64}, {"checkpoints", {"000001", "000002"}}});
  ASSERT_EQ(compared.status, 200) << compared.body;
  ASSERT_EQ(compared.json()["results"].size(), 2u);
  EXPECT_EQ(compared.json()["results"][0]["checkpoint"], "000001");
  EXPECT_EQ(compared.json()["results"][1]["checkpoint"], "000002");
  EXPECT_NE(compared.json()["results"][0]["moves"][0]["prior"], compared.json()["results"][1]["moves"][0]["prior"]);
}

TEST_F(WebRunTest, WhatTheTableKnowsIsTold) {
  const WebServer server(settings());
  const json request = {{"start", "1-0-0-0-0-1-0-1-0-0-0-0-22-23-S"}, {"visits", 50}};
  const json known = post(server.port(), "/api/think", request).json()["table"];
  ASSERT_TRUE(known.is_object());
  EXPECT_EQ(known["seeds"], 4);
  const Ran probed = run_wari({"endgame", "probe", run() + "/tables/abapa-4.table", "--position", "1-0-0-0-0-1-0-1-0-0-0-0-22-23-S", "--json"});
  const json probe = json::parse(probed.out);
  EXPECT_EQ(known["value"], probe["value"]);
  EXPECT_EQ(known["exact"], probe["exact"]);
  EXPECT_EQ(known["moves"], probe["moves"]);
  json without = request;
  without["table"] = false;
  EXPECT_EQ(post(server.port(), "/api/think", without).json()["table"], nullptr);
  EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 5}}).json()["table"], nullptr) << "48 seeds";
}

TEST_F(WebRunTest, AMatchIsPlayedInTheBackground) {
  const WebServer server(settings());
  const Answer begun = post(server.port(), "/api/match", {{"a", "000002"}, {"b", "000001"}, {"games", 6}, {"visits", 8}});
  ASSERT_EQ(begun.status, 202) << begun.body;
  json match;
  for (int look = 0; look < 600; ++look) {
    match = get(server.port(), "/api/match").json()["match"];
    if (!match["running"].get<bool>()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(match["running"], false);
  EXPECT_EQ(match["id"], begun.json()["id"]);
  EXPECT_EQ(match["played"], 6);
  EXPECT_EQ(match["wins"].get<int>() + match["draws"].get<int>() + match["losses"].get<int>(), 6);
  EXPECT_EQ(match["share"], 1);
  EXPECT_EQ(match["error"], nullptr);
  EXPECT_TRUE(match["elo"].is_number() && match["elo_error_95"].is_number());
}

TEST_F(WebRunTest, AMatchIsStoppedAndAnotherRefusedMeanwhile) {
  const WebServer server(settings());
  const json wanted = {{"a", "000002"}, {"b", "000001"}, {"games", 10'000}, {"visits", 500}};
  ASSERT_EQ(post(server.port(), "/api/match", wanted).status, 202);
  EXPECT_EQ(post(server.port(), "/api/match", wanted).status, 409);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 10}}).status, 200) << "whoever thinks goes first";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  const json stopped = ask(server.port(), "DELETE", "/api/match").json()["match"];
  EXPECT_EQ(stopped["running"], false);
  EXPECT_EQ(post(server.port(), "/api/match", {{"a", "000002"}, {"b", "nobody"}, {"games", 2}, {"visits", 1}}).status, 404);
  for (const json& wrong : {json{{"games", 3}}, json{{"games", 0}}, json{{"visits", 0}}, json{{"rules", "abapa,quiet_plies=0"}}}) {
    json request = wanted;
    request.update(wrong);
    EXPECT_EQ(post(server.port(), "/api/match", request).status, 400) << wrong;
  }
  EXPECT_EQ(get(server.port(), "/api/match").json()["match"]["running"], false) << "nothing else happened";
}

TEST_F(WebRunTest, AServerThatEndsStopsItsMatch) {
  auto server = std::make_unique<WebServer>(settings());
  ASSERT_EQ(post(server->port(), "/api/match", {{"a", "newest"}, {"b", "000001"}, {"games", 10'000}, {"visits", 500}}).status, 202);
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(WebRunTest, ACheckpointAloneCanBeServed) {
  WebServerSettings alone = test_settings();
  alone.api.checkpoint = run() + "/checkpoints/000001";
  const WebServer server(alone);
  EXPECT_EQ(get(server.port(), "/api/checkpoints").json()["checkpoints"][0]["name"], "000001");
  EXPECT_EQ(get(server.port(), "/api/about").json()["engine"]["iteration"], 1);
  EXPECT_EQ(get(server.port(), "/api/training").status, 404);
}

// Random games must not take over from a network without a word.
TEST_F(WebRunTest, ARunThatIsGoneIsSaidUntilItIsBack) {
  const WebServer server(settings());
  const json strength = {{"strength", {{"visits", 20}}}};
  EXPECT_EQ(post(server.port(), "/api/move", strength).json()["checkpoint"], "000002");
  const std::string aside = folder_->path() + "/aside";
  std::filesystem::rename(run(), aside);
  for (const char* path : {"/api/move", "/api/think"}) {
    const Answer answer = post(server.port(), path, std::string(path) == "/api/move" ? strength : json{{"visits", 20}});
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_THAT(answer.error(), HasSubstr("the run's checkpoints are gone: 'first'"));
  }
  EXPECT_EQ(get(server.port(), "/api/checkpoints").status, 503);
  const Answer about = get(server.port(), "/api/about");
  ASSERT_EQ(about.status, 200) << about.body;
  EXPECT_EQ(about.json()["engine"]["checkpoint"], nullptr);
  EXPECT_THAT(about.json()["engine"]["note"].get<std::string>(), HasSubstr("the run's checkpoints are gone"));
  EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 20}, {"checkpoint", "newest"}}).status, 503);
  std::filesystem::rename(aside, run());
  EXPECT_EQ(post(server.port(), "/api/move", strength).json()["checkpoint"], "000002");
}

TEST_F(WebRunTest, ADamagedNewestCheckpointIsNamedAndTheRestGoesOn) {
  const std::string folder = run() + "/checkpoints/000003";
  for (const char* file : {"checkpoint.json", "weights.safetensors"}) {
    std::filesystem::copy(run() + "/checkpoints/000002", folder);
    std::ofstream(folder + "/" + file, std::ios::app) << "x";
    const WebServer server(settings());
    const Answer about = get(server.port(), "/api/about");
    EXPECT_EQ(about.status, 200) << about.body;
    EXPECT_EQ(about.json()["engine"]["checkpoint"], "000003");
    EXPECT_EQ(about.json()["engine"]["judge"], "network");
    EXPECT_GE(about.json()["strengths"].size(), 5u);
    const Answer thought = post(server.port(), "/api/think", {{"visits", 20}});
    EXPECT_EQ(thought.status, 500);
    EXPECT_EQ(post(server.port(), "/api/move", {{"strength", {{"visits", 20}}}}).error(), thought.error());
    for (const std::string& said : {about.json()["engine"]["note"].get<std::string>(), thought.error()}) {
      EXPECT_THAT(said, HasSubstr(std::string("000003/") + file));
      EXPECT_THAT(said, testing::Not(HasSubstr(folder_->path()))) << "where it lies is nobody's business";
    }
    EXPECT_EQ(post(server.port(), "/api/game", json::object()).status, 200);
    EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 20}, {"checkpoint", "000002"}}).status, 200);
    std::filesystem::remove_all(folder);
  }
}

// Training goes on in the same folder, and prunes its checkpoints and shards, while everything is asked for.
TEST_F(WebRunTest, MayBeTrainingMeanwhile) {
  const std::string second = folder_->path() + "/second";
  const WebServer first(settings());
  std::vector<std::string> arguments = train(6);
  arguments[4] = second;
  std::filesystem::create_directory(second);
  WebServerSettings watching = test_settings();
  watching.api.run = second;
  const WebServer server(watching);
  std::atomic<bool> ended = false;
  Ran trained;
  std::thread training([&] {
    trained = run_wari(arguments);
    ended = true;
  });
  int looks = 0;
  while (!ended) {
    for (const char* path : {"/api/training", "/api/games?count=5", "/api/checkpoints", "/api/about"}) {
      const Answer answer = get(server.port(), path);
      EXPECT_EQ(answer.status, 200) << path << " " << answer.body;
    }
    const Answer thought = post(server.port(), "/api/think", {{"visits", 20}});
    EXPECT_EQ(thought.status, 200) << thought.body;
    ++looks;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  training.join();
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_GT(looks, 3);
  EXPECT_EQ(get(server.port(), "/api/training").json()["iterations"], 6);
  EXPECT_EQ(get(server.port(), "/api/checkpoints").json()["checkpoints"].back()["name"], "000006");
}

}  // namespace
}  // namespace wari
