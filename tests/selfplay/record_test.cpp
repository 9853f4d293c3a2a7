#include "selfplay/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/durable_file.h"
#include "core/error.h"
#include "core/notation.h"
#include "core/ogn.h"
#include "core/tokens.h"
#include "selfplay/replay_game.h"
#include "tests/selfplay/fake_games.h"

namespace wari {
namespace {

using test::error_of;
using test::fake_game;
using test::fake_games;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

RecordHeader header_of(std::vector<Rules> rules) {
  RecordHeader header;
  header.run_id = "a-run";
  header.rules = std::move(rules);
  return header;
}

TEST(Records, AShardReadsBackAsItWasWritten) {
  const TemporaryFolder folder("records");
  const std::vector<Rules> rules{parse_rules("abapa"), parse_rules("awale,repetition.award=split")};
  std::vector<GameRecord> games = fake_games(rules[0], 0, 30);
  for (GameRecord game : fake_games(rules[1], 30, 30)) {
    game.rules_index = 1;
    games.push_back(game);
  }
  const WrittenFile written = write_records(folder / "a.games", header_of(rules), games);
  const RecordShard shard = read_records(folder / "a.games", written.hash);
  EXPECT_EQ(shard.games, games);
  EXPECT_EQ(shard.header.rules, rules);
  EXPECT_EQ(shard.header.run_id, "a-run");
  EXPECT_EQ(shard.header.games, 60);
  EXPECT_EQ(shard.header.token_version, kTokenVersion);
  EXPECT_EQ(shard.file.hash, written.hash);
  EXPECT_EQ(written.bytes, static_cast<std::int64_t>(std::filesystem::file_size(folder / "a.games")));
  for (const GameRecord& game : shard.games) EXPECT_EQ(verify_game(game, rules[game.rules_index]), "");
}

// Every field at its widest: policies are shares, never whole counts, and long games keep their ply numbers.
TEST(Records, EveryFieldSurvivesAtItsLimits) {
  const TemporaryFolder folder("limits");
  GameRecord game;
  game.game = INT64_MAX;
  game.end = End::repetition;
  game.south_half_seeds = 143;
  game.north_half_seeds = 1;
  game.start = {0x01ff'ffff'ffff'ffffULL, 0x00ff'ffff'ffff'fffeULL};
  PlyRecord ply;
  for (int action = 0; action < kActions; ++action) ply.policy[action] = static_cast<std::uint16_t>(action == 3 ? 16384 : 4464 + action);
  ply.root_value = -32767;
  ply.network_value = 32767;
  ply.surprise = 65535;
  ply.action = 11;
  ply.flags = 0xff;
  game.plies.assign(70'000, ply);
  write_records(folder / "a.games", header_of({Rules{}}), std::vector{game});
  EXPECT_EQ(read_records(folder / "a.games").games, std::vector{game});
}

TEST(Records, ADamagedFileIsRefusedByNameAndReason) {
  const TemporaryFolder folder("damaged");
  const auto file = folder / "a.games";
  write_records(file, header_of({Rules{}}), fake_games(Rules{}, 0, 5));
  const std::string good = read_whole_file(file);
  const auto message = [&](std::string bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    return error_of([&] { read_records(file); });
  };
  EXPECT_EQ(message(good), "");
  EXPECT_THAT(message(""), AllOf(HasSubstr("empty"), HasSubstr("a.games")));
  EXPECT_THAT(message("<!DOCTYPE html><html>no such page</html>"), AllOf(HasSubstr("not a file of game records"), HasSubstr("a.games")));
  EXPECT_THAT(message(good.substr(0, 5)), HasSubstr("truncated"));
  EXPECT_THAT(message(good.substr(0, 60)), HasSubstr("truncated"));
  EXPECT_THAT(message(good.substr(0, good.size() - 7)), HasSubstr("truncated, 7 bytes are missing"));
  EXPECT_THAT(message(good + "x"), HasSubstr("after its end"));
  std::string newer = good;
  newer[8] = 2;
  EXPECT_THAT(message(newer), AllOf(HasSubstr("format 2"), HasSubstr("newer wari")));
  for (std::size_t at = 8; at < good.size(); at += 1 + good.size() / 97) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_THAT(message(flipped), HasSubstr("a.games")) << "byte " << at;
  }
}

TEST(Records, AnotherFileThanTheOneListedIsRefused) {
  const TemporaryFolder folder("listed");
  const WrittenFile first = write_records(folder / "a.games", header_of({Rules{}}), fake_games(Rules{}, 0, 3));
  write_records(folder / "a.games", header_of({Rules{}}), fake_games(Rules{}, 3, 3));
  EXPECT_THAT(error_of([&] { read_records(folder / "a.games", first.hash); }), HasSubstr("a.games"));
}

TEST(Records, AMissingFileIsNamed) {
  EXPECT_THAT(error_of([] { read_records("no/such.games"); }), HasSubstr("no/such.games"));
  const std::vector<std::filesystem::path> folders{"no/such/folder"};
  EXPECT_THAT(error_of([&] { record_shards(folders); }), HasSubstr("no/such/folder"));
}

TEST(Records, ShardsOfSeveralFoldersComeInOrder) {
  const TemporaryFolder folder("folders");
  std::filesystem::create_directories(folder / "x");
  for (const char* name : {"b.games", "a.games", "x/c.games"}) write_records(folder / name, header_of({Rules{}}), {});
  std::ofstream(folder / "notes.txt") << "no records";
  const std::vector<std::filesystem::path> folders{folder / "x", folder.path()};
  EXPECT_EQ(record_shards(folders), (std::vector<std::filesystem::path>{folder / "x/c.games", folder / "a.games", folder / "b.games"}));
}

TEST(Records, VerifyingFindsEverySpoiledPart) {
  const Rules rules;
  const GameRecord good = fake_game(rules, 4);
  ASSERT_EQ(verify_game(good, rules), "");
  const auto spoiled = [&](auto spoil) {
    GameRecord game = good;
    spoil(game);
    return verify_game(game, rules);
  };
  EXPECT_THAT(spoiled([](GameRecord& g) { g.plies[2].action = 9; }), HasSubstr("ply 2: action 9 is illegal"));
  EXPECT_NE(spoiled([](GameRecord& g) { g.plies.pop_back(); }), "");
  EXPECT_THAT(spoiled([](GameRecord& g) { g.plies.push_back(g.plies.back()); }), HasSubstr("over before"));
  EXPECT_THAT(spoiled([](GameRecord& g) { std::swap(++g.south_half_seeds, --g.north_half_seeds); }), HasSubstr("final stores"));
  EXPECT_THAT(spoiled([](GameRecord& g) { g.end = g.end == End::majority ? End::quiet : End::majority; }), HasSubstr("ended by"));
  EXPECT_THAT(spoiled([](GameRecord& g) { g.start.mover += 1; }), HasSubstr("start"));
  EXPECT_THAT(spoiled([](GameRecord& g) { g.plies[3].policy[7] = 9; }), HasSubstr("illegal action 7"));
  EXPECT_THAT(spoiled([](GameRecord& g) { std::fill_n(g.plies[3].policy, kActions, std::uint16_t{0}), g.plies[3].policy[g.plies[3].action] = 65534; }), HasSubstr("sums to 65534"));
  EXPECT_THAT(spoiled([](GameRecord& g) { g.plies.clear(); }), HasSubstr("no move"));
  // Played under other rules: shorter quiet limit, so the game would have ended before.
  EXPECT_NE(verify_game(good, parse_rules("abapa,quiet_plies=3")), "");
}

TEST(Records, GamesAsJsonLinesHoldWhatTheVectorsHold) {
  const Rules rules = parse_rules("awari");
  for (const GameRecord& record : fake_games(rules, 0, 50)) {
    const auto json = nlohmann::json::parse(game_json(record, rules));
    EXPECT_EQ(json["start"], "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    EXPECT_EQ(json["plies"], record.length());
    EXPECT_EQ(json["moves"].get<std::string>().size(), static_cast<std::size_t>(record.length()));
    EXPECT_EQ(json["stores"][0].get<double>() * 2, record.south_half_seeds);
    EXPECT_EQ(json["stores"][1].get<double>() * 2, record.north_half_seeds);
    EXPECT_EQ(json["rules"]["repetition"]["award"], "split");
    EXPECT_FALSE(json.contains("ended"));
  }
}

TEST(Records, AGameEndedByTheProgramSaysSoAndGivesTheStoresOfItsLastPosition) {
  const Rules rules;
  GameRecord record = fake_game(rules, 1);
  record.plies.resize(20);
  record.end = End::table;
  record.south_half_seeds = 50;
  record.north_half_seeds = 46;
  EXPECT_EQ(verify_game(record, rules), "");
  const auto json = nlohmann::json::parse(game_json(record, rules));
  EXPECT_EQ(json["ended"], "table");
  EXPECT_LT(json["stores"][0].get<int>() + json["stores"][1].get<int>(), 48);
  const OgnGame ogn = read_ogn(record_ogn(record, rules, "a run"), "text").at(0);
  EXPECT_EQ(ogn.ended, "table");
  EXPECT_EQ(ogn.result, "25-23") << "the stores that the table gives";
}

TEST(Records, GamesAsOgnHoldTheMovesAndWhatTheSearchFound) {
  const Rules rules = parse_rules("awari");
  GameRecord record = fake_game(rules, 3);
  record.plies[4].flags = kFlagFull;
  record.plies[4].root_value = -16384;
  const OgnGame ogn = read_ogn(record_ogn(record, rules, "a run"), "text").at(0);
  EXPECT_TRUE(ogn.game.rules() == rules);
  EXPECT_EQ(line_text(ogn.game), line_text(resume_game(record, rules)));
  EXPECT_EQ(*ogn.tag("Event"), "a run");
  EXPECT_EQ(*ogn.tag("Round"), std::to_string(record.game + 1));
  EXPECT_EQ(ogn.notes.at(4).comment, "-0.500");
}

}  // namespace
}  // namespace wari
