#include "selfplay/game_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/durable_file.h"
#include "selfplay/game_statistics.h"
#include "tests/selfplay/fake_engine.h"

namespace wari {
namespace {

using test::error_of;
using test::fake_games;
using test::TemporaryFolder;
using testing::HasSubstr;

RecordHeader header_of_one() {
  RecordHeader header;
  header.run_id = "test";
  header.rules = {Rules{}};
  return header;
}

TEST(GameWriter, WritesTheSameFilesInWhateverOrderGamesFinish) {
  const TemporaryFolder folder("writer");
  std::vector<GameRecord> games = fake_games(Rules{}, 0, 40);
  {
    GameWriter writer(folder / "straight", folder / "straight.jsonl", header_of_one());
    writer.add(games);
    writer.finish();
    EXPECT_EQ(writer.games(), 40);
  }
  {
    GameWriter writer(folder / "mixed", folder / "mixed.jsonl", header_of_one());
    std::reverse(games.begin(), games.end());
    for (const GameRecord& game : games) writer.add({game});
    writer.finish();
  }
  EXPECT_EQ(read_whole_file(folder / "straight/000001.games"), read_whole_file(folder / "mixed/000001.games"));
  const std::string lines = read_whole_file(folder / "mixed.jsonl");
  EXPECT_EQ(lines, read_whole_file(folder / "straight.jsonl"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 40);
}

TEST(GameWriter, WhatIsMissingEndsTheFileAndNothingComesAfterAGap) {
  const TemporaryFolder folder("gap");
  std::vector<GameRecord> games = fake_games(Rules{}, 0, 9);
  games.erase(games.begin() + 5);
  GameWriter writer(folder / "out", {}, header_of_one());
  writer.add(games);
  writer.finish();
  EXPECT_EQ(writer.games(), 5);
  EXPECT_EQ(read_records(folder / "out/000001.games").games.size(), 5u);
}

TEST(GameWriter, RefusesAFolderWithRecordsAndAPlaceThatCannotBeWritten) {
  const TemporaryFolder folder("refused");
  { GameWriter(folder / "out", {}, header_of_one()).finish(); }
  EXPECT_EQ(error_of([&] { GameWriter(folder / "out", {}, header_of_one()); }), "") << "an empty folder is taken";
  write_records(folder / "out/000001.games", header_of_one(), fake_games(Rules{}, 0, 1));
  EXPECT_THAT(error_of([&] { GameWriter(folder / "out", {}, header_of_one()); }), HasSubstr("holds game records already"));
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(error_of([&] { GameWriter(folder / "file", {}, header_of_one()); }), HasSubstr("not a folder"));
  EXPECT_THAT(error_of([&] { GameWriter(folder / "new", folder / "no/such/lines.jsonl", header_of_one()); }), HasSubstr("lines.jsonl"));
  std::filesystem::create_directory(folder / "directory");
  EXPECT_THAT(error_of([&] { GameWriter(folder / "new", folder / "directory", header_of_one()); }), HasSubstr("a folder, not a file"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new")) << "what is refused leaves nothing behind";
  EXPECT_FALSE(std::filesystem::exists(folder / "directory.tmp"));
}

TEST(GameWriter, AnUnfinishedFileOfLinesIsNotLeftBehind) {
  const TemporaryFolder folder("unfinished");
  {
    GameWriter writer(folder / "out", folder / "lines.jsonl", header_of_one());
    writer.add(fake_games(Rules{}, 0, 3));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "lines.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder / "lines.jsonl.tmp"));
}

SelfplayOptions fake_play(std::int64_t games_end) {
  SelfplayOptions options;
  options.rules = single_rules(Rules{});
  options.workers = 2;
  options.games_end = games_end;
  options.make_engine = [](const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator>) { return std::make_unique<test::FakeEngine>(settings); };
  return options;
}

TEST(GenerateGames, PlaysAllOrStopsWhenAsked) {
  const TemporaryFolder folder("generate");
  SelfplaySettings settings;
  settings.lanes = 9;
  const auto evaluator = make_uniform_evaluator();
  Selfplay whole(settings, fake_play(50), *evaluator);
  GameWriter writer(folder / "whole", {}, header_of_one());
  const GenerationReport report = generate_games(whole, writer, [](const GenerationReport&) { return true; });
  EXPECT_EQ(report.games, 50);
  EXPECT_EQ(report.plies, read_records(folder / "whole/000001.games").header.plies);
  Selfplay endless(settings, fake_play(1'000'000), *evaluator);
  GameWriter stopped(folder / "stopped", {}, header_of_one());
  EXPECT_GE(generate_games(endless, stopped, [](const GenerationReport& so_far) { return so_far.games < 20; }).games, 20);
  for (const GameRecord& game : read_records(folder / "stopped/000001.games").games) EXPECT_EQ(verify_game(game, Rules{}), "");
}

// Fake lanes are up to three times as fast as others: without a limit hundreds of games would wait for the slowest.
TEST(GenerateGames, FastLanesWaitForSlowOnes) {
  const TemporaryFolder folder("ahead");
  SelfplaySettings settings;
  settings.lanes = 9;
  Selfplay selfplay(settings, fake_play(3000), *make_uniform_evaluator());
  GameWriter writer(folder / "out", {}, header_of_one());
  std::size_t most = 0;
  EXPECT_EQ(generate_games(selfplay, writer, [&](const GenerationReport&) {
    most = std::max(most, writer.waiting());
    return true;
  }).games, 3000);
  EXPECT_GT(most, 9u);
  EXPECT_LE(most, static_cast<std::size_t>(kGamesAhead * settings.lanes));
}

TEST(GameStatistics, CountsBySeatEndAndOpening) {
  std::vector<GameRecord> games = fake_games(Rules{}, 0, 60);
  games.push_back(games[7]);
  const GameStatistics statistics = game_statistics(games);
  EXPECT_EQ(statistics.games, 61);
  EXPECT_EQ(statistics.south_wins + statistics.draws + statistics.north_wins, 61);
  std::int64_t ends = 0, south = 0;
  for (const std::int64_t count : statistics.ends) ends += count;
  for (const GameRecord& game : games) south += game.south_half_seeds > game.north_half_seeds;
  EXPECT_EQ(ends, 61);
  EXPECT_EQ(statistics.south_wins, south);
  EXPECT_LE(statistics.distinct_openings, 60);
  EXPECT_GT(statistics.distinct_openings, 50);
  EXPECT_EQ(statistics.random_plies + statistics.full_searches + statistics.capped_searches + statistics.forced_plies, statistics.plies);
  EXPECT_LE(statistics.shortest, statistics.mean_plies());
  EXPECT_GE(statistics.longest, statistics.mean_plies());
  EXPECT_GT(statistics.mean_surprise, 0);
}

}  // namespace
}  // namespace wari
