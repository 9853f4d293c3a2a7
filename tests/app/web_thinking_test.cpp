#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "app/server/search_turns.h"
#include "app/server/searches.h"
#include "core/game.h"
#include "core/notation.h"
#include "tests/app/web_client.h"

// The routes that think, and what keeps those who ask apart: turns, trees, limits.
namespace wari {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class WebThinkingTest : public testing::Test {
 protected:
  json think(json request, const char* path = "/api/think") {
    const Answer answer = post(server_.port(), path, request);
    EXPECT_EQ(answer.status, 200) << request << " " << answer.body;
    return answer.json();
  }
  void expect_refused(const std::string& path, const json& request, const std::string& reason) {
    const Answer answer = post(server_.port(), path, request);
    EXPECT_EQ(answer.status, 400) << request << answer.body;
    EXPECT_THAT(answer.error(), HasSubstr(reason)) << request;
  }

  WebServer server_{test_settings()};
};

TEST_F(WebThinkingTest, AboutSaysWhoThinks) {
  const json about = get(server_.port(), "/api/about").json();
  EXPECT_EQ(about["engine"]["judge"], "rollouts");
  EXPECT_EQ(about["engine"]["checkpoint"], nullptr);
  EXPECT_EQ(about["run"], nullptr);
  EXPECT_EQ(about["rules"], "abapa");
  EXPECT_GE(about["strengths"].size(), 5u);
  for (const json& strength : about["strengths"]) {
    EXPECT_EQ(strength["elo"], nullptr) << "nobody measured random games";
    EXPECT_EQ(post(server_.port(), "/api/move", {{"strength", strength["strength"]}, {"start", "0-0-0-0-0-1-0-0-0-0-0-0-23-24-S"}}).status, 200) << strength;
  }
  EXPECT_EQ(get(server_.port(), "/api/about?rules=nonsense").status, 400);
}

TEST_F(WebThinkingTest, EveryPresetIsThoughtAbout) {
  for (const auto& [name, rules] : rule_presets()) {
    const json thought = think({{"rules", name}, {"moves", "A"}, {"visits", 200}});
    Game game(rules);
    play_line(game, "A");
    EXPECT_EQ(thought["position"], position_text(game.position()));
    ASSERT_TRUE(thought["best"].is_string()) << name;
    EXPECT_NO_THROW(parse_move(game, thought["best"].get<std::string>()));
    EXPECT_EQ(thought["line"][0], thought["best"]);
    EXPECT_NEAR(thought["wdl"][0].get<double>() + thought["wdl"][1].get<double>() + thought["wdl"][2].get<double>(), 1, 1e-4);
    int visits = 0;
    for (const json& move : thought["moves"]) visits += move["visits"].get<int>();
    EXPECT_EQ(visits, thought["visits"]) << name;
    EXPECT_EQ(thought["table"], nullptr);
    EXPECT_EQ(thought["checkpoint"], nullptr);
  }
}

TEST_F(WebThinkingTest, AFinishedPositionHasAValueAndNoMove) {
  const json thought = think({{"start", "0-0-0-0-0-0-2-0-0-0-0-0-24-22-S"}, {"visits", 100}});
  EXPECT_EQ(thought["best"], nullptr);
  EXPECT_EQ(thought["moves"], json::array());
  EXPECT_EQ(thought["margin"], 0) << "South has 24, and North takes the two of the own row";
  expect_refused("/api/move", {{"start", "0-0-0-0-0-0-2-0-0-0-0-0-24-22-S"}, {"strength", {{"visits", 10}}}}, "the game is over");
}

TEST_F(WebThinkingTest, LimitsAreChecked) {
  expect_refused("/api/think", {{"moves", "F"}}, "give one of them");
  expect_refused("/api/think", {{"visits", 10}, {"movetime_ms", 10}}, "give one of them");
  expect_refused("/api/think", {{"visits", 0}}, "whole number from 1");
  expect_refused("/api/think", {{"visits", 1'000'000'000}}, "whole number from 1");
  expect_refused("/api/think", {{"movetime_ms", 3'600'000}}, "whole number from 1");
  expect_refused("/api/think", {{"visits", 10}, {"table", 1}}, "true or false");
  expect_refused("/api/think", {{"visits", 10}, {"depth", 3}}, "unknown key 'depth'");
  expect_refused("/api/think", {{"visits", 10}, {"moves", "Z"}}, "illegal move");
  expect_refused("/api/move", {{"visits", 10}}, "key 'strength' is missing");
  expect_refused("/api/move", {{"strength", "strong"}}, "an object");
  expect_refused("/api/move", {{"strength", {{"elo", 9000}}}}, "whole number");
  expect_refused("/api/move", {{"strength", {{"elo", 900}, {"visits", 3}}}}, "unknown key 'visits'");
  expect_refused("/api/compare", {{"visits", 10}, {"checkpoints", {"a"}}}, "a list of 2 texts");
  const Answer unknown = post(server_.port(), "/api/think", {{"visits", 10}, {"checkpoint", "../../etc"}});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.error(), HasSubstr("no such checkpoint: '../../etc'"));
}

TEST_F(WebThinkingTest, TimeEndsASearch) {
  const auto begin = Clock::now();
  const json thought = think({{"movetime_ms", 300}});
  EXPECT_GT(seconds_since(begin), 0.2);
  EXPECT_LT(seconds_since(begin), 5);
  EXPECT_GT(thought["visits"], 100);
}

TEST_F(WebThinkingTest, TheSameKeyPlaysTheSameMoveAndOthersVary) {
  const auto move = [&](int key) {
    return think({{"strength", {{"elo", 0}}}, {"key", key}}, "/api/move")["move"].get<std::string>();
  };
  std::set<std::string> moves;
  for (int key = 0; key < 20; ++key) moves.insert(move(key));
  EXPECT_GT(moves.size(), 2u) << "the weakest plays anything";
  EXPECT_EQ(move(7), move(7));
}

TEST_F(WebThinkingTest, AWholeGameCanBePlayed) {
  Game game(parse_rules("abapa"));
  while (!game.is_over()) {
    const json thought = think({{"moves", line_text(game)}, {"strength", {{"visits", 30}}}}, "/api/move");
    game.play(parse_move(game, thought["move"].get<std::string>()));
    EXPECT_EQ(thought["simulations"], thought["visits"]) << "a limited strength finds nothing that is known already";
    EXPECT_TRUE(thought["visits"] == 30 || (thought["proven"].get<bool>() && thought["visits"] < 30)) << thought["visits"];
  }
}

TEST_F(WebThinkingTest, AskingForMoreCostsTheRestOnly) {
  EXPECT_EQ(think({{"visits", 500}})["simulations"], 500);
  const json more = think({{"visits", 1200}});
  EXPECT_EQ(more["visits"], 1200);
  EXPECT_EQ(more["simulations"], 700);
  EXPECT_LT(think({{"visits", 1200}, {"moves", more["best"]}})["simulations"], 1200) << "the game goes on, and so does the tree";
}

// A client that is gone: its search must not go on.
TEST_F(WebThinkingTest, AClientThatGoesAwayCancelsItsSearch) {
  for (const int wait_ms : {0, 5, 100}) {
    for (int i = 0; i < 10; ++i) {
      const RawConnection connection(server_.port());
      connection.send(post_bytes("/api/think", R"({"movetime_ms": 20000})"));
      std::this_thread::sleep_for(milliseconds(wait_ms));
    }
  }
  const auto begin = Clock::now();
  think({{"visits", 10}});
  EXPECT_LT(seconds_since(begin), 5) << "thirty searches of twenty seconds were asked for";
}

TEST(WebThinking, TooManySearchesAreSentAwayForAMoment) {
  WebServerSettings settings = test_settings();
  settings.api.searches.waiting = 2;
  const WebServer server(settings);
  const RawConnection first(server.port()), second(server.port());
  first.send(post_bytes("/api/think", R"({"movetime_ms": 20000})"));
  second.send(post_bytes("/api/think", R"({"movetime_ms": 20000})"));
  Answer third;
  for (int look = 0; look < 100 && third.status != 429; ++look) {
    third = post(server.port(), "/api/think", {{"visits", 1}});
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(third.header("retry-after"), "1");
  EXPECT_EQ(get(server.port(), "/api/rules").status, 200) << "what needs no search is answered";
}

TEST(WebThinking, ALongAnalysisDelaysAMoveByAMoment) {
  const WebServer server(test_settings());
  std::vector<std::unique_ptr<RawConnection>> long_ones;
  for (int i = 0; i < 3; ++i) {
    long_ones.push_back(std::make_unique<RawConnection>(server.port()));
    long_ones.back()->send(post_bytes("/api/think", R"({"movetime_ms": 20000, "moves": ")" + std::string(1, static_cast<char>('A' + i)) + "\"}"));
  }
  std::this_thread::sleep_for(milliseconds(200));
  const auto begin = Clock::now();
  EXPECT_EQ(post(server.port(), "/api/move", {{"strength", {{"visits", 50}}}}).status, 200);
  EXPECT_LT(seconds_since(begin), 8) << "three searches of twenty seconds are under way";
}

// One plays a game to its end while thirty others ask for everything at once, right and wrong.
TEST(WebThinking, ThirtyClientsDoNotDisturbAGame) {
  const WebServer server(test_settings());
  const int port = server.port();
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0, unexpected = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 30; ++client) {
    clients.emplace_back([&, client] {
      for (int round = 0; !done; ++round) {
        int status = 0;
        switch ((client + round) % 6) {
          case 0: status = post(port, "/api/think", {{"visits", 100}, {"moves", std::string(1, static_cast<char>('A' + client % 6))}}).status; break;
          case 1: status = post(port, "/api/game", {{"rules", "relay"}, {"moves", "A"}}).status; break;
          case 2: status = get(port, "/").status; break;
          case 3: status = post_text(port, "/api/game", "{").status == 400 ? 200 : 0; break;
          case 4: status = get(port, "/api/about").status; break;
          default: status = post(port, "/api/move", {{"strength", {{"elo", 300}}}, {"rules", "awale"}}).status; break;
        }
        ++answered;
        if (status != 200) ++unexpected;
      }
    });
  }
  Game game(parse_rules("abapa"));
  double longest = 0;
  for (int ply = 0; !game.is_over() && ply < 40; ++ply) {
    const auto begin = Clock::now();
    const Answer answer = post(port, "/api/move", {{"moves", line_text(game)}, {"strength", {{"visits", 50}}}});
    longest = std::max(longest, seconds_since(begin));
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json()["position"], position_text(game.position()));
    game.play(parse_move(game, answer.json()["move"].get<std::string>()));
  }
  done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(unexpected, 0) << "of " << answered;
  EXPECT_GT(answered, 100);
  EXPECT_LT(longest, 5);
}

TEST(SearchTurns, GoRoundInTheOrderOfAsking) {
  SearchTurns turns;
  ASSERT_TRUE(turns.take({}));
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      ASSERT_TRUE(turns.take({}, number == 0));  // the first to ask waits in the background
      order.push_back(number);                   // whoever has the turn is alone
      turns.release();
    });
    std::this_thread::sleep_for(milliseconds(30));
  }
  EXPECT_TRUE(turns.others_wait());
  turns.release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 0}));
  EXPECT_FALSE(turns.others_wait());
}

TEST(SearchTurns, WhoeverGivesUpLeavesTheLine) {
  SearchTurns turns;
  ASSERT_TRUE(turns.take({}));
  std::atomic<bool> gone = false;
  std::thread leaver([&] { EXPECT_FALSE(turns.take([&] { return gone.load(); })); });
  std::this_thread::sleep_for(milliseconds(20));
  gone = true;
  leaver.join();
  turns.release();
  EXPECT_TRUE(turns.take({}));
  turns.release();
}

class EnginePoolTest : public testing::Test {
 protected:
  EnginePool pool_{{2, 16, 1}};
  Game game_{Rules{}};
};

TEST_F(EnginePoolTest, AGameThatGoesOnGetsItsTreeBack) {
  const Thinker* first = nullptr;
  {
    const auto use = pool_.take({}, game_, {});
    first = &use->thinker();
  }
  { const auto other = pool_.take({}, Game(Rules{}, parse_position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-N", Rules{})), {}); }
  play_line(game_, "FfEb");
  const auto again = pool_.take({}, game_, {});
  EXPECT_EQ(&again->thinker(), first);
}

TEST_F(EnginePoolTest, ATreeIsNeverUsedByTwo) {
  const auto first = pool_.take({}, game_, {});
  const auto second = pool_.take({}, game_, {});
  EXPECT_NE(&first->thinker(), &second->thinker());
  int asked = 0;
  EXPECT_FALSE(pool_.take({}, game_, [&asked] { return ++asked > 2; }).has_value()) << "both trees are in use";
}

TEST_F(EnginePoolTest, AFreshTreeIsNotTheOneThatIsKept) {
  const Thinker* kept = nullptr;
  {
    const auto use = pool_.take({}, game_, {});
    kept = &use->thinker();
  }
  EnginePool::Wish fresh;
  fresh.fresh = true;
  { const auto use = pool_.take(fresh, game_, {}); EXPECT_NE(&use->thinker(), kept); }
  EXPECT_EQ(&pool_.take({}, game_, {})->thinker(), kept);
}

}  // namespace
}  // namespace wari
