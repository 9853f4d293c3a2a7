#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/check_rules.h"
#include "core/error.h"
#include "core/game.h"

namespace wari {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(WARI_SOURCE_DIR) / "tests/data/rules";

// Full width, no pruning: store difference at leaves, 1000 more for the winner of a finished game.
int full_width(Game& game, int depth, std::vector<int>* best) {
  if (game.is_over()) {
    const FinalStores stores = game.final_stores();
    const int difference = (stores.mover_half_seeds - stores.opponent_half_seeds) / 2;
    return difference + (difference > 0 ? 1000 : difference < 0 ? -1000 : 0);
  }
  if (depth == 0) return store_seeds(game.position().mover) - store_seeds(game.position().opponent);
  const bool north = north_moves(game.position());
  int value = -10000;
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    game.play(action);
    const int child = full_width(game, depth - 1, nullptr);
    const int mine = north_moves(game.position()) == north ? child : -child;
    game.take_back();
    if (best != nullptr && mine > value) best->clear();
    if (best != nullptr && mine >= value) best->push_back(action);
    value = std::max(value, mine);
  }
  return value;
}

AlphaBetaAnswer oracle(const Rules& rules, const Position& position, int depth) {
  Game game(rules, position);
  AlphaBetaAnswer answer;
  answer.value = full_width(game, depth, &answer.best);
  return answer;
}

RulesReport check(const std::filesystem::path& file) {
  RulesReport report;
  check_rules_file(file, oracle, report);
  return report;
}

void expect_agreement(const std::string& name, int lines) {
  const RulesReport report = check(kFolder / name);
  EXPECT_EQ(report.checked, lines);
  for (const RulesMismatch& found : report.mismatches) ADD_FAILURE() << found.file << ":" << found.line << ": " << found.what << ": expected " << found.expected << ", got " << found.got;
}

// A file of one line, removed at the end.
class OneLine {
 public:
  explicit OneLine(const std::string& text) : path_(std::filesystem::temp_directory_path() / ("wari_vectors_" + std::to_string(::getpid()) + ".jsonl")) { std::ofstream(path_) << text << "\n"; }
  ~OneLine() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

nlohmann::json first_line(const std::string& name) {
  std::ifstream stream(kFolder / name);
  std::string text;
  while (std::getline(stream, text)) {
    nlohmann::json json = nlohmann::json::parse(text);
    if (!json.contains("legal") || json["legal"].size() > 1) return json;
  }
  return {};
}

std::vector<std::string> mismatches(const nlohmann::json& line) {
  const OneLine file(line.dump());
  std::vector<std::string> what;
  for (const RulesMismatch& found : check(file.path()).mismatches) what.push_back(found.what);
  return what;
}

TEST(Vectors, PerftAgrees) { expect_agreement("perft.jsonl", 78); }
TEST(Vectors, MovesAgree) { expect_agreement("moves.jsonl", 1353); }
TEST(Vectors, GamesAgree) { expect_agreement("games.jsonl", 172); }
TEST(Vectors, FullWidthSearchAgrees) { expect_agreement("alphabeta.jsonl", 72); }

TEST(Vectors, ASpoiledLineIsFound) {
  nlohmann::json perft = first_line("perft.jsonl");
  perft["perft"].back() = perft["perft"].back().get<int>() + 1;
  EXPECT_THAT(mismatches(perft), testing::ElementsAre("perft 6"));
  nlohmann::json moves = first_line("moves.jsonl");
  moves["legal"].erase(0);
  EXPECT_THAT(mismatches(moves), testing::ElementsAre("legal"));
  moves = first_line("moves.jsonl");
  moves["after"][0]["position"] = "nonsense";
  EXPECT_EQ(mismatches(moves).size(), 1u);
  nlohmann::json game = first_line("games.jsonl");
  game["stores"] = {game["stores"][1], game["stores"][0]};
  EXPECT_THAT(mismatches(game), testing::ElementsAre("stores"));
  nlohmann::json alphabeta = first_line("alphabeta.jsonl");
  alphabeta["value"] = 7;
  EXPECT_THAT(mismatches(alphabeta), testing::ElementsAre("value"));
}

TEST(Vectors, AGameMustBeOverAfterItsLastMoveAndNotBefore) {
  const nlohmann::json game = first_line("games.jsonl");
  nlohmann::json shorter = game;
  std::string moves = game["moves"];
  moves.pop_back();
  shorter["moves"] = moves;
  EXPECT_THAT(mismatches(shorter), testing::Contains("over"));
  nlohmann::json longer = game;
  longer["moves"] = game["moves"].get<std::string>() + "A";
  EXPECT_THAT(mismatches(longer), testing::ElementsAre("moves"));
}

TEST(Vectors, AGameThatTheProgramEndedEarlySaysSo) {
  nlohmann::json game = first_line("games.jsonl");
  game["moves"] = "CcAa";
  game["plies"] = 4;
  game["stores"] = {0, 0};
  game["ended"] = "limit";
  EXPECT_TRUE(mismatches(game).empty());
  game["stores"] = {24, 24};
  EXPECT_THAT(mismatches(game), testing::ElementsAre("stores"));
  nlohmann::json over = first_line("games.jsonl");
  over["ended"] = "resigned";
  EXPECT_THAT(mismatches(over), testing::ElementsAre("over"));
}

void expect_refused(const std::string& text, const std::string& word) {
  const OneLine file(text);
  try {
    check(file.path());
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr(word));
    EXPECT_THAT(error.what(), testing::HasSubstr(file.path().string()));
  }
}

TEST(Vectors, OtherFilesAreRefusedWithTheLine) {
  expect_refused("{\"set\": ", ":1");
  expect_refused("[1, 2]", ":1");
  expect_refused("{}", "'rules'");
  expect_refused("", "empty");
  nlohmann::json line = first_line("perft.jsonl");
  line["perft"] = "many";
  expect_refused(line.dump(), "'perft'");
  line = first_line("perft.jsonl");
  line["rules"]["lapps"] = "two";
  expect_refused(line.dump(), "'lapps'");
  line = first_line("perft.jsonl");
  line["rules"].erase("laps");
  expect_refused(line.dump(), "'laps'");
  line = first_line("perft.jsonl");
  line["position"] = "4-4-4-4-4-4-4-4-4-4-4-5-0-0-S";
  expect_refused(line.dump(), "49");
  line = first_line("games.jsonl");
  line["ended"] = "resinged";
  expect_refused(line.dump(), "resigned");
}

}  // namespace
}  // namespace wari
