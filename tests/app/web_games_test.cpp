#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "app/server/large_requests.h"
#include "core/game.h"
#include "core/notation.h"
#include "core/random.h"
#include "core/rules_files.h"
#include "tests/app/web_client.h"
#include "tests/core/rule_mixes.h"

// The routes that know the rules: /api/rules, /api/game, /api/settle.
namespace wari {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class WebGamesTest : public testing::Test {
 protected:
  json game(const json& request) {
    const Answer answer = post(server_.port(), "/api/game", request);
    EXPECT_EQ(answer.status, 200) << request << " " << answer.body;
    return answer.json();
  }
  void expect_refused(const std::string& path, const std::string& body, const std::string& reason) {
    const Answer answer = post_text(server_.port(), path, body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.error(), HasSubstr(reason)) << body;
  }

  WebServer server_{test_settings()};
};

// What a page does with steps: moves counters.
void apply(json& pits, std::array<double, 2>& stores, const json& steps) {
  for (const json& step : steps) {
    if (step.contains("sow")) {
      json& pit = pits[step["sow"].get<std::size_t>()];
      pit = pit.get<int>() + 1;
      continue;
    }
    const char* const kind = step.contains("lift") ? "lift" : step.contains("capture") ? "capture" : "sweep";
    json& pit = pits[step[kind].get<std::size_t>()];
    ASSERT_EQ(pit, step["seeds"]);
    const double seeds = pit.get<double>();
    pit = 0;
    if (step.value("to", "") == "S") stores[0] += seeds;
    if (step.value("to", "") == "N") stores[1] += seeds;
    if (step.value("to", "") == "both") stores = {stores[0] + seeds / 2, stores[1] + seeds / 2};
  }
}

TEST_F(WebGamesTest, TheStartHasAllThatABoardShows) {
  const json start = game(json::object());
  EXPECT_EQ(start["rules"], "abapa");
  EXPECT_EQ(start["position"], "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
  EXPECT_EQ(start["pits"], json(std::vector<int>(12, 4)));
  EXPECT_EQ(start["stores"], (json{0, 0}));
  EXPECT_EQ(start["mover"], "S");
  EXPECT_EQ(start["legal"].size(), 6u);
  EXPECT_EQ(start["legal"][2]["move"], "C");
  EXPECT_EQ(start["legal"][2]["pit"], 2);
  EXPECT_EQ(start["legal"][2]["after"], "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N");
  EXPECT_EQ(start["plies"], json::array());
  EXPECT_EQ(start["end"], nullptr);
  EXPECT_EQ(start["result"], nullptr);
  EXPECT_EQ(start["circling"], false);
}

TEST_F(WebGamesTest, RandomGamesOfAllPresetsAreShownMoveByMove) {
  for (const auto& [name, rules] : rule_presets()) {
    std::string moves;
    Game played(rules);
    std::array<double, 2> stores{0, 0};
    json pits = std::vector<int>(12, rules.seeds_per_pit);
    json shown = game({{"rules", name}});
    for (std::uint32_t ply = 0; !shown["over"].get<bool>() && ply < 500; ++ply) {
      const json& legal = shown["legal"];
      ASSERT_FALSE(legal.empty());
      const json chosen = legal[test_draw(rules_hash(rules), ply, static_cast<std::uint32_t>(legal.size()))];
      moves += chosen["move"].get<std::string>();
      played.play(parse_move(played, chosen["move"].get<std::string>()));
      apply(pits, stores, chosen["steps"]);
      shown = game({{"rules", name}, {"moves", moves}, {"from", ply}});
      ASSERT_EQ(shown["position"], chosen["after"]);
      ASSERT_EQ(shown["position"], position_text(played.position()));
      ASSERT_EQ(shown["pits"], pits) << name << " " << moves;
      ASSERT_EQ(shown["over"], played.is_over());
      ASSERT_EQ(shown["plies"].size(), 1u) << "only those asked for";
      ASSERT_EQ(shown["plies"][0]["steps"], chosen["steps"]);
      ASSERT_EQ(shown["plies"][0]["after"], chosen["after"]);
    }
    ASSERT_TRUE(shown["over"].get<bool>()) << name;
    EXPECT_EQ(shown["legal"], json::array());
    apply(pits, stores, shown["sweeps"]);
    EXPECT_EQ(shown["result"]["south"], stores[0]) << name;
    EXPECT_EQ(shown["result"]["north"], stores[1]) << name;
    EXPECT_EQ(game({{"rules", name}, {"moves", moves}})["plies"].size(), static_cast<std::size_t>(played.plies()));
  }
}

TEST_F(WebGamesTest, AFinishedPositionSaysHowItEnded) {
  const json over = game({{"start", "0-0-0-0-0-0-1-0-0-0-0-0-24-23-N"}});
  EXPECT_EQ(over["over"], true);
  EXPECT_EQ(over["end"], "no_move");
  EXPECT_EQ(over["result"], (json{{"south", 24}, {"north", 24}, {"winner", nullptr}}));
  EXPECT_EQ(over["sweeps"], (json::array({{{"sweep", 6}, {"seeds", 1}, {"to", "N"}}})));
  const json majority = game({{"start", "1-0-0-0-0-0-1-0-0-0-0-0-25-21-N"}});
  EXPECT_EQ(majority["end"], "majority");
  EXPECT_EQ(majority["result"]["winner"], "S");
  EXPECT_EQ(majority["sweeps"], json::array()) << "seeds on the board stay uncounted";
}

TEST_F(WebGamesTest, ADeclinedCaptureIsAMoveOfItsOwn) {
  const json shown = game({{"rules", "awale"}, {"start", "0-0-0-0-0-1-2-1-0-0-0-5-20-19-S"}});
  ASSERT_EQ(shown["legal"].size(), 2u);
  EXPECT_EQ(shown["legal"][0]["captured"], 3);
  EXPECT_EQ(shown["legal"][1]["move"], "F-");
  EXPECT_EQ(shown["legal"][1]["declined"], true);
  EXPECT_EQ(shown["legal"][1]["captured"], 0);
  EXPECT_EQ(game({{"rules", "awale"}, {"start", "0-0-0-0-0-1-2-1-0-0-0-5-20-19-S"}, {"moves", "F-"}})["plies"][0]["declined"], true);
}

TEST_F(WebGamesTest, AfterASlamTheSamePlayerMovesAgain) {
  const json shown = game({{"rules", "warri"}, {"start", "2-0-0-0-1-1-1-0-0-0-0-0-20-23-S"}, {"moves", "F"}});
  EXPECT_EQ(shown["mover"], "S");
  EXPECT_EQ(shown["plies"][0]["captured"], 2);
  EXPECT_EQ(shown["over"], true) << "nothing left can feed";
  EXPECT_EQ(shown["end"], "no_move");
}

TEST_F(WebGamesTest, ACirclingGameIsOfferedAnEndAndSettled) {
  const json start = {{"rules", "abapa,repetition.occurrences=3"}, {"start", "0-0-0-0-0-1-0-0-0-0-0-1-23-23-S"}};
  std::string moves;
  int circling_at = 0;
  for (int ply = 0; ply < 30 && circling_at == 0; ++ply) {
    json request = start;
    request["moves"] = moves;
    const json shown = game(request);
    if (shown["over"].get<bool>()) break;
    if (shown["circling"].get<bool>()) {
      circling_at = ply;
      EXPECT_EQ(shown["repeated"], 1);
      break;
    }
    moves += shown["legal"][0]["move"].get<std::string>();
  }
  EXPECT_EQ(circling_at, 12) << moves;
  const Answer settled = post(server_.port(), "/api/settle", {{"start", "3-0-0-0-0-1-0-0-0-0-0-2-20-22-S"}});
  EXPECT_EQ(settled.status, 200);
  EXPECT_EQ(settled.json()["stores"], (json{24, 24}));
  EXPECT_EQ(settled.json()["winner"], nullptr);
  EXPECT_EQ(settled.json()["sweeps"].size(), 3u);
}

TEST_F(WebGamesTest, HalvesOfASplitAreGiven) {
  const json over = game({{"rules", "abapa,repetition.award=split,quiet_plies=0"}, {"start", "0-0-0-0-0-1-0-0-0-0-0-1-23-23-S"}, {"moves", "FfAaBbCcDdEe"}});
  EXPECT_EQ(over["end"], "repetition");
  EXPECT_EQ(over["sweeps"][0]["to"], "both");
  EXPECT_EQ(over["result"]["south"], 24);
}

TEST_F(WebGamesTest, WhatIsWrongIsRefusedWithAReason) {
  expect_refused("/api/game", "", "not JSON");
  expect_refused("/api/game", "{\"moves\": ", "not JSON");
  expect_refused("/api/game", "[1]", "no object");
  expect_refused("/api/game", "null", "no object");
  expect_refused("/api/game", R"({"moves": 7})", "key 'moves' is '7'");
  expect_refused("/api/game", R"({"mvoes": "F"})", "did you mean 'moves'");
  expect_refused("/api/game", R"({"from": 1.5})", "whole number");
  expect_refused("/api/game", R"({"from": -1})", "whole number");
  expect_refused("/api/game", R"({"from": 99999999999999999999999})", "whole number");
  expect_refused("/api/game", R"({"from": 18446744073709551615})", "whole number");
  expect_refused("/api/game", R"({"rules": "abappa"})", "did you mean 'abapa'");
  expect_refused("/api/game", R"({"rules": "abapa,laps=three"})", "three");
  expect_refused("/api/game", R"({"rules": "@/etc/passwd"})", "files are not read here");
  expect_refused("/api/game", R"({"start": "4-4"})", "position '4-4'");
  expect_refused("/api/game", R"({"start": "9-4-4-4-4-4-4-4-4-4-4-4-0-0-S"})", "add up to 53");
  expect_refused("/api/game", R"({"moves": "Ff1"})", "illegal move 3: '1'");
  expect_refused("/api/game", R"({"moves": "FF"})", "illegal move 2: 'F'");
  expect_refused("/api/game", R"({"start": "0-0-0-0-0-0-1-0-0-0-0-0-24-23-N", "moves": "a"})", "the game is over");
  expect_refused("/api/game", "{\"moves\": \"" + std::string(9000, 'F') + "\"}", "at most");
  expect_refused("/api/game", R"({"rules": "\u0000abapa"})", "control characters in '?abapa': rules");
  expect_refused("/api/game", R"({"start": "4-4\u0000"})", "control characters in '4-4?': key 'start'");
  expect_refused("/api/game", R"({"moves": "Ff\n\u0000"})", "control characters in 'Ff");
  expect_refused("/api/ogn/read", R"({"text": "1. F\u0000"})", "a NUL");
  expect_refused("/api/settle", R"({"from": 3})", "unknown key 'from'");
  EXPECT_EQ(get(server_.port(), "/api/rules?verbose=1").status, 400);
  EXPECT_EQ(post_text(server_.port(), "/api/game", std::string(60'000, '[')).status, 400) << "deep nesting";
  EXPECT_EQ(post_text(server_.port(), "/api/game", std::string(30'000, '[') + std::string(30'000, ']')).status, 400) << "deep nesting";
  EXPECT_EQ(post_text(server_.port(), "/api/ogn/read", "{\"text\": " + std::string(500'000, '[') + std::string(500'000, ']') + "}").status, 400) << "deep nesting";
  EXPECT_EQ(post_text(server_.port(), "/api/game", "{\"moves\": \"\xff\xfe\"}").status, 400);
}

TEST_F(WebGamesTest, MutatedRequestsNeverHurtTheServer) {
  const std::string good = R"({"rules": "warri,quiet_plies=300", "start": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "moves": "FfEb", "from": 1})";
  ASSERT_EQ(post_text(server_.port(), "/api/game", good).status, 200);
  int refused = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    std::string body = good;
    for (std::uint32_t change = 0; change <= test_draw(number, 0, 4); ++change) {
      const std::size_t place = test_draw(number, 10 * change + 1, static_cast<std::uint32_t>(body.size()));
      const char byte = static_cast<char>(test_draw(number, 10 * change + 2, 256));
      switch (test_draw(number, 10 * change + 3, 3)) {
        case 0: body[place] = byte; break;
        case 1: body.erase(place, 1 + test_draw(number, 10 * change + 4, 5)); break;
        default: body.insert(place, 1 + test_draw(number, 10 * change + 4, 3), byte);
      }
    }
    const Answer answer = post_text(server_.port(), "/api/game", body);
    ASSERT_TRUE(answer.status == 200 || answer.status == 400) << answer.status << " " << body;
    ASSERT_EQ(answer.status == 400, !answer.error().empty()) << body;
    refused += answer.status == 400;
  }
  EXPECT_GT(refused, 500);
}

TEST_F(WebGamesTest, GamesGoToOgnAndBack) {
  for (const auto& [name, rules] : rule_presets()) {
    Game game(rules);
    for (std::uint32_t ply = 0; !game.is_over() && ply < 60; ++ply) {
      std::vector<int> actions;
      for (int action = 0; action < kActions; ++action) {
        if ((game.legal() >> action) & 1) actions.push_back(action);
      }
      game.play(actions[test_draw(rules_hash(rules), ply, static_cast<std::uint32_t>(actions.size()))]);
    }
    const Answer written = post(server_.port(), "/api/ogn/write", {{"rules", name}, {"moves", line_text(game)}, {"tags", {{"South", "Ama"}, {"Event", "A \"test\"\n[x]"}}}});
    ASSERT_EQ(written.status, 200) << written.body;
    const Answer read = post(server_.port(), "/api/ogn/read", {{"text", written.json()["text"].get<std::string>() + "\n" + written.json()["text"].get<std::string>()}});
    ASSERT_EQ(read.status, 200) << read.body;
    const json games = read.json()["games"];
    ASSERT_EQ(games.size(), 2u);
    for (const json& again : games) {
      EXPECT_EQ(again["rules"], name);
      EXPECT_EQ(again["moves"], line_text(game));
      EXPECT_EQ(again["start"], position_text(game.start()));
      EXPECT_EQ(again["tags"]["South"], "Ama");
      EXPECT_EQ(again["result"].is_null(), !game.is_over());
    }
  }
  // A game that both ended keeps its end.
  const json ended = json::parse(post_text(server_.port(), "/api/ogn/write", R"({"moves": "Ff", "agreed": true})").body);
  const json again = json::parse(post_text(server_.port(), "/api/ogn/read", json{{"text", ended["text"]}}.dump()).body)["games"][0];
  EXPECT_EQ(again["ended"], "limit");
  EXPECT_EQ(again["result"], "24-24");
  expect_refused("/api/ogn/read", json{{"text", "1. Q"}}.dump(), "line:1");
  expect_refused("/api/ogn/read", json{{"text", "[Rules \"@/etc/passwd\"]\n\n1. F"}}.dump(), "a file of rules");
  // A million legal moves in one word.
  std::string endless = "[Rules \"abapa,quiet_plies=0,repetition.occurrences=0\"]\n[FEN \"1-0-0-0-0-0-1-0-0-0-0-0-23-23-S\"]\n\n";
  for (int i = 0; i < 80'000; ++i) endless += "AaBbCcDdEeFf";
  expect_refused("/api/ogn/read", json{{"text", endless}}.dump(), "too long");
  expect_refused("/api/ogn/write", R"({"tags": {"FEN": "x"}})", "tag 'FEN'");
  expect_refused("/api/ogn/write", R"({"tags": {"a]": "x"}})", "tag 'a]'");
  expect_refused("/api/ogn/write", R"({"tags": {"Site": 3}})", "names with texts");
  EXPECT_EQ(post(server_.port(), "/api/ogn/read", {{"text", std::string(2 << 20, ' ')}}).status, 413);
}

TEST_F(WebGamesTest, WhatStandsBesideTheMovesGoesToOgnAndBack) {
  const std::string text = "[Event \"Club\"]\n[Result \"25-20\"]\n[Ended \"resigned\"]\n\n{before it} 1. F! $1 {first} f (1... e 2. F) 2. E {second} 25-20\n";
  json game = post(server_.port(), "/api/ogn/read", {{"text", text}}).json()["games"][0];
  EXPECT_EQ(game["ended"], "resigned");
  EXPECT_EQ(game["result"], "25-20");
  EXPECT_EQ(game["comment"], "before it");
  EXPECT_EQ(game["notes"], json::parse(R"json([{"ply": 1, "annotation": "! $1", "comment": "first", "variations": ""},
      {"ply": 2, "annotation": "", "comment": "", "variations": "(1... e 2. F)"}, {"ply": 3, "annotation": "", "comment": "second", "variations": ""}])json")) << game["notes"];
  const Answer written = post(server_.port(), "/api/ogn/write", game);
  ASSERT_EQ(written.status, 200) << written.body;
  json again = post(server_.port(), "/api/ogn/read", written.json()).json()["games"][0];
  EXPECT_EQ(again["tags"]["Event"], "Club");
  again["tags"] = game["tags"];  // those that every file has are added
  EXPECT_EQ(again, game) << written.json()["text"];
  const json limit = post(server_.port(), "/api/ogn/read", {{"text", "[Ended \"limit\"] [Result \"30-18\"] 1. F f"}}).json()["games"][0];
  EXPECT_THAT(post(server_.port(), "/api/ogn/write", limit).json()["text"].get<std::string>(), testing::AllOf(HasSubstr("[Ended \"limit\"]"), HasSubstr("[Result \"30-18\"]")));

  const auto refused = [&](const char* key, const json& value, const std::string& reason) {
    json changed = game;
    changed[key] = value;
    expect_refused("/api/ogn/write", changed.dump(), reason);
  };
  refused("result", "99-99", "'99-99' is neither");
  refused("result", "25-20 x", "no result: '25-20 x'");
  refused("ended", "never", "unknown end");
  refused("agreed", true, "leave out");
  refused("notes", "x", "a list of at most");
  refused("notes", json::array({3}), "a list of at most");
  refused("notes", json::array({{{"ply", 4}}}), "whole number from 1 to 3");
  refused("notes", json::array({{{"ply", 1}, {"variations", "f 2. E"}}}), "this cannot be written");
  refused("notes", json::array({{{"ply", 1}, {"annotation", "25-20"}}}), "this cannot be written");
  refused("notes", json::array({{{"ply", 3}, {"variations", "[Event \"x\"] 1. F"}}}), "this cannot be written");
  const json over = {{"start", "0-0-0-0-0-1-0-0-0-0-0-0-24-23-S"}, {"moves", "F"}, {"result", "20-28"}};
  expect_refused("/api/ogn/write", over.dump(), "follows from the game");
}

TEST_F(WebGamesTest, AGameWithMoreTagsThanCanBeSavedIsNotLoaded) {
  const auto tags = [](int count, std::size_t bytes) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "[T" + std::to_string(i) + " \"" + std::string(bytes, 'x') + "\"]\n";
    return json{{"text", text + "\n1. F f\n"}};
  };
  const Answer read = post(server_.port(), "/api/ogn/read", tags(200, 4000));
  ASSERT_EQ(read.status, 200) << read.body;
  const Answer written = post(server_.port(), "/api/ogn/write", read.json()["games"][0]);
  ASSERT_EQ(written.status, 200) << written.body;
  EXPECT_EQ(post(server_.port(), "/api/ogn/read", written.json()).status, 200);
  expect_refused("/api/ogn/read", tags(210, 1).dump(), "the game has 210 tags: line 1");
  expect_refused("/api/ogn/read", tags(1, 4001).dump(), "tag 'T0' is too long: line 1");
}

// A game of 4,000 plies is an answer of megabytes.
TEST(WebLongGames, FewAreReplayedAtOnceAndAllAreAnswered) {
  std::string moves;
  for (int i = 0; i < 333; ++i) moves += "AaBbCcDdEeFf";
  const json request = {{"rules", "relay,quiet_plies=0,repetition.occurrences=0"}, {"start", "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S"}, {"moves", moves}};
  WebServerSettings settings = test_settings();
  settings.api.large = {1, 2};
  const WebServer server(settings);
  ASSERT_EQ(post(server.port(), "/api/game", request).status, 200);
  std::atomic<int> shown = 0, sent_away = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 12; ++client) {
    clients.emplace_back([&] {
      const Answer answer = post(server.port(), "/api/game", request);
      shown += answer.status == 200;
      sent_away += answer.status == 429 && answer.header("retry-after") == "1";
    });
  }
  EXPECT_EQ(get(server.port(), "/api/rules").status, 200);
  EXPECT_EQ(post(server.port(), "/api/game", json::object()).status, 200) << "a short game waits for none of them";
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(shown + sent_away, 12);
  EXPECT_GE(shown, 3);
}

TEST(LargeRequests, WaitForAPlace) {
  LargeRequests requests({1, 1});
  auto first = std::make_unique<LargeRequests::Place>(requests, nullptr);
  const auto status_of = [&](const std::function<bool()>& left) {
    try {
      const LargeRequests::Place place(requests, left);
      return 200;
    } catch (const HttpError& error) {
      return error.status();
    }
  };
  EXPECT_EQ(status_of([] { return true; }), kClientLeft);
  std::atomic<bool> waits = false;
  std::thread second([&] { EXPECT_EQ(status_of([&] { waits = true; return false; }), 200); });
  while (!waits) std::this_thread::yield();
  EXPECT_EQ(status_of({}), 429);
  first.reset();
  second.join();
  EXPECT_EQ(status_of({}), 200);
}

TEST_F(WebGamesTest, TheRulesAreListedWithTheirMeaning) {
  const json rules = get(server_.port(), "/api/rules").json();
  ASSERT_EQ(rules["presets"].size(), rule_presets().size());
  for (std::size_t i = 0; i < rule_presets().size(); ++i) {
    EXPECT_EQ(rules["presets"][i]["name"], rule_presets()[i].first);
    EXPECT_NE(rules["presets"][i]["description"], "") << rule_presets()[i].first;
    EXPECT_EQ(rules_from_json(rules["presets"][i]["options"], "test"), rule_presets()[i].second);
  }
  ASSERT_EQ(rules["options"].size(), 8u);
  for (const json& option : rules["options"]) {
    EXPECT_NE(option["meaning"], "");
    EXPECT_NE(option["values"].is_null(), option["range"].is_null());
  }
}

}  // namespace
}  // namespace wari
