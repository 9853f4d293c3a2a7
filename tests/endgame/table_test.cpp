#include "endgame/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "core/notation.h"
#include "endgame/build.h"
#include "endgame/building_file.h"
#include "endgame/endgame_rules.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

class EndgameTables : public testing::Test {
 protected:
  EndgameTables() : folder_(fs::temp_directory_path() / ("wari_endgame_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    set_log_level(LogLevel::off);
  }
  ~EndgameTables() override {
    set_log_level(LogLevel::info);
    fs::remove_all(folder_);
  }
  fs::path built(int seeds, const std::string& rules = "abapa", const std::string& name = "a.table") {
    const fs::path file = folder_ / name;
    EXPECT_EQ(build_endgame_table({parse_rules(rules), seeds, file, 2}), EndgameBuildEnd::built);
    return file;
  }
  static std::string fault(const fs::path& file) {
    try {
      EndgameTable::open(file);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
  static void write(const fs::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

  fs::path folder_;
};

TEST_F(EndgameTables, HoldWhatWasSolved) {
  const EndgameTable table = EndgameTable::open(built(6));
  EXPECT_EQ(table.seeds(), 6);
  EXPECT_EQ(table.boards(), first_board(endgame_numbering(), 7));
  EndgameValues values;
  for (int level = 0; level <= 6; ++level) solve_level({Rules{}, level, 1}, values);
  for (std::uint32_t number = 0; number < table.boards(); ++number) {
    const EndgameValue value = table.view().value(numbered_board(endgame_numbering(), number));
    ASSERT_EQ(value.seeds, values.split[number]);
    ASSERT_EQ(value.exact, values.low[number] == values.high[number]);
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.table.building"));
  const std::vector<EndgameCount> counts = count_endgames(table);
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_EQ(counts[5].win, 5707u);
  EXPECT_NEAR(static_cast<double>(counts[5].exact) / static_cast<double>(counts[5].boards()), 0.8216, 0.00005);
}

TEST_F(EndgameTables, TellWhatMovesAreWorth) {
  const EndgameTable table = EndgameTable::open(built(4));
  EXPECT_TRUE(table.view().holds(parse_position("0-0-0-0-0-1-1-1-0-0-0-1-22-22-S", Rules{})));
  EXPECT_FALSE(table.view().holds(parse_position("0-0-0-0-1-1-1-1-0-0-0-1-22-21-S", Rules{})));
  // F takes two; the seed that is left cannot be fed back, and stays North's or goes to him.
  const std::vector<EndgameMove> moves = endgame_moves(table, parse_position("0-0-0-0-0-1-1-1-0-0-0-0-23-22-S", Rules{}));
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].action, 5);
  EXPECT_EQ(moves[0].seeds, 1);
  EXPECT_TRUE(moves[0].exact);
  EXPECT_TRUE(endgame_moves(table, parse_position("1-0-0-0-0-0-0-0-0-0-0-0-24-23-S", Rules{})).empty());
}

TEST_F(EndgameTables, AreRefusedWhenAnyBitIsWrong) {
  const fs::path file = built(5);
  const std::string bytes = read_whole_file(file);
  const fs::path spoiled = folder_ / "spoiled.table";
  for (std::size_t place = 0; place < bytes.size(); place += place < 300 ? 1 : 97) {
    std::string wrong = bytes;
    wrong[place] = static_cast<char>(wrong[place] ^ (1 << (place % 8)));
    write(spoiled, wrong);
    EXPECT_NE(fault(spoiled), "") << place;
  }
  write(spoiled, bytes);
  EXPECT_EQ(fault(spoiled), "");
}

TEST_F(EndgameTables, SayWhatIsWrongWithAFile) {
  const std::string bytes = read_whole_file(built(4));
  const fs::path other = folder_ / "other.table";
  EXPECT_THAT(fault(other), testing::AllOf(testing::HasSubstr("cannot read"), testing::HasSubstr("other.table")));
  for (const std::string& text : {std::string(), std::string("<html>"), std::string(5000, '\0')}) {
    write(other, text);
    EXPECT_THAT(fault(other), testing::HasSubstr("no endgame table"));
  }
  write(other, bytes.substr(0, 100));
  EXPECT_THAT(fault(other), testing::HasSubstr("cut short"));
  write(other, bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(fault(other), testing::HasSubstr("bytes instead of"));
  std::string newer = bytes;
  newer[8] = 9;
  write(other, newer);
  EXPECT_THAT(fault(other), testing::HasSubstr("format 9"));
  EXPECT_THAT(fault(folder_), testing::HasSubstr("no endgame table"));
}

TEST_F(EndgameTables, BelongToRulesThatShareTheirEndings) {
  EXPECT_TRUE(shares_endings(endgame_rules(parse_rules("abapa")), parse_rules("short,repetition.occurrences=4")));
  EXPECT_TRUE(shares_endings(endgame_rules(parse_rules("wari")), parse_rules("awari")));
  EXPECT_FALSE(shares_endings(endgame_rules(parse_rules("abapa")), parse_rules("warri")));
  EXPECT_FALSE(shares_endings(endgame_rules(parse_rules("abapa")), parse_rules("two-lap")));
  EXPECT_THROW(endgame_rules(parse_rules("relay")), Error);
}

TEST_F(EndgameTables, CheckFindsAValueThatItsMovesDeny) {
  EndgameValues values;
  for (int level = 0; level <= 5; ++level) solve_level({Rules{}, level, 1}, values);
  const fs::path file = folder_ / "right.table", wrong = folder_ / "wrong.table";
  EndgameValues spoiled = values;
  spoiled.split[3000] = static_cast<std::int8_t>(spoiled.split[3000] + 2);
  write_endgame_table(file, Rules{}, 5, values);
  write_endgame_table(wrong, Rules{}, 5, spoiled);
  const EndgameCheck right_check = check_endgames(EndgameTable::open(file), 1'000'000);
  EXPECT_EQ(right_check.fault, "");
  EXPECT_EQ(right_check.checked, values.split.size());
  EXPECT_NE(check_endgames(EndgameTable::open(wrong), 1'000'000).fault, "");
  // A bit that says "exact" where a cycle decides.
  std::size_t number = values.split.size() - 1;
  while (values.low[number] == values.high[number]) --number;
  values.low[number] = values.high[number];
  write_endgame_table(wrong, Rules{}, 5, values);
  EXPECT_THAT(check_endgames(EndgameTable::open(wrong), 1'000'000).fault, testing::HasSubstr("exact"));
}

// A build stopped, or killed between and within its writes, goes on to the same file.
TEST_F(EndgameTables, AStoppedBuildGoesOnToTheSameFile) {
  const std::string whole = read_whole_file(built(8));
  const fs::path file = folder_ / "b.table", building = folder_ / "b.table.building";
  int stops = 0;
  for (bool done = false; !done; ++stops) {
    int left = 40;
    done = build_endgame_table({Rules{}, 8, file, 1}, [&](const EndgameBuildProgress& now) {
             EXPECT_LE(now.share, 1.0);
             return --left > 0 || now.seeds < 3 + stops;
           }) == EndgameBuildEnd::built;
  }
  EXPECT_GT(stops, 3);
  EXPECT_EQ(read_whole_file(file), whole);

  // What a kill leaves: any prefix of the building file; what a bad disk leaves: a flipped bit.
  fs::remove(file);
  EXPECT_EQ(build_endgame_table({Rules{}, 8, file, 1}, [&](const EndgameBuildProgress& now) { return now.seeds < 8; }), EndgameBuildEnd::stopped);
  const std::string half = read_whole_file(building);
  for (std::size_t size = half.size(); size > 0; size = size * 2 / 3) {
    write(building, half.substr(0, size));
    fs::remove(file);
    EXPECT_EQ(build_endgame_table({Rules{}, 8, file, 1}), EndgameBuildEnd::built);
    EXPECT_EQ(read_whole_file(file), whole) << size;
  }
  for (std::size_t place = 60; place < half.size(); place += half.size() / 7) {
    std::string wrong = half;
    wrong[place] = static_cast<char>(wrong[place] ^ 16);
    write(building, wrong);
    fs::remove(file);
    EXPECT_EQ(build_endgame_table({Rules{}, 8, file, 1}), EndgameBuildEnd::built);
    EXPECT_EQ(read_whole_file(file), whole) << place;
  }
}

TEST_F(EndgameTables, ABuildDoesNotWriteOverSomethingElse) {
  const fs::path file = built(4, "warri");
  EXPECT_EQ(build_endgame_table({parse_rules("warri"), 4, file, 1}), EndgameBuildEnd::was_there);
  EXPECT_EQ(build_endgame_table({parse_rules("warri"), 3, file, 1}), EndgameBuildEnd::was_there);
  EXPECT_THROW(build_endgame_table({parse_rules("abapa"), 4, file, 1}), Error);
  EXPECT_EQ(build_endgame_table({parse_rules("warri"), 5, file, 1}), EndgameBuildEnd::built);
  EXPECT_EQ(EndgameTable::open(file).seeds(), 5);
  write(folder_ / "notes.txt", "my notes");
  EXPECT_THROW(build_endgame_table({parse_rules("abapa"), 4, folder_ / "notes.txt", 1}), Error);
  EXPECT_EQ(read_whole_file(folder_ / "notes.txt"), "my notes");
  write(folder_ / "c.table.building", "my notes");
  EXPECT_THROW(build_endgame_table({parse_rules("abapa"), 4, folder_ / "c.table", 1}), Error);
  { const BuildingFile held(folder_ / "d.table.building", Rules{}); EXPECT_THROW(build_endgame_table({Rules{}, 4, folder_ / "d.table", 1}), Error); }
  EXPECT_THROW(build_endgame_table({parse_rules("warri"), 4, folder_ / "d.table", 1}), Error);  // begun for other rules
  EXPECT_THROW(build_endgame_table({Rules{}, 4, folder_ / "none" / "e.table", 1}), Error);
  EXPECT_THROW(build_endgame_table({Rules{}, 25, folder_ / "f.table", 1}), Error);
}

}  // namespace
}  // namespace wari
