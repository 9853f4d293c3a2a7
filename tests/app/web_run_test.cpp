#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/run_wari.h"
#include "tests/app/web_client.h"

// What the server shows of a run that is really trained, and plays with it.
namespace wari {
namespace {

using nlohmann::json;
using testing::HasSubstr;

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

TEST_F(WebRunTest, ACheckpointThatLiesElsewhereIsNone) {
  std::filesystem::copy(run() + "/checkpoints/000002", folder_->path() + "/elsewhere");
  std::filesystem::create_directory_symlink(folder_->path() + "/elsewhere", run() + "/checkpoints/000004");
  std::filesystem::create_directory_symlink("000001", run() + "/checkpoints/000003");
  const WebServer server(settings());
  const json list = get(server.port(), "/api/checkpoints").json()["checkpoints"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2]["name"], "000003") << "a link within the run";
  EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 20}, {"checkpoint", "000004"}}).status, 404);
  EXPECT_EQ(post(server.port(), "/api/think", {{"visits", 20}}).json()["checkpoint"], "000003");
  std::filesystem::remove(run() + "/checkpoints/000003");
  std::filesystem::remove(run() + "/checkpoints/000004");
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
