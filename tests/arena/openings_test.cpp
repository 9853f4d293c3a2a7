#include "arena/openings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "arena/match.h"
#include "core/error.h"
#include "core/notation.h"
#include "search/alphabeta.h"

namespace wari {
namespace {

using testing::HasSubstr;

class Openings : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() /
            ("wari-openings-" + std::to_string(getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { std::filesystem::remove(file_); }

  OpeningBook read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_openings(file_, rules_);
  }
  std::string error(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  Rules rules_;
  std::filesystem::path file_;
};

TEST_F(Openings, LinesAndPositionsAreRead) {
  const OpeningBook book = read("# a comment\nFfEb\n\n 0-0-4-4-0-1-1-1-5-5-5-5-10-7-S  # a position\r\n4-4-4-4-4-4-4-4-4-4-4-4-0-0-N aB\n");
  ASSERT_EQ(book.lines.size(), 3u);
  EXPECT_EQ(line_text(book.lines[0]), "FfEb");
  EXPECT_EQ(position_text(book.lines[1].position()), "0-0-4-4-0-1-1-1-5-5-5-5-10-7-S");
  EXPECT_EQ(book.lines[1].plies(), 0);
  EXPECT_EQ(line_text(book.lines[2]), "aB");
  EXPECT_TRUE(north_moves(book.lines[2].start()));
  EXPECT_THAT(book.name, HasSubstr(file_.filename().string()));
}

TEST_F(Openings, TheNameTellsFilesOfDifferentContentApart) { EXPECT_NE(read("Ff").name, read("Fe").name); }

TEST_F(Openings, WhatIsNoOpeningIsNamedWithItsLine) {
  EXPECT_THAT(error("Ff\nFx\n"), HasSubstr(file_.string() + ":2: "));
  EXPECT_THAT(error("F f"), HasSubstr(":1: moves in two words: 'f'"));
  EXPECT_THAT(error("4-4-4-4-4-4-4-4-4-4-4-4-0-1-S"), HasSubstr(":1: "));
  EXPECT_THAT(error("\n\n0-0-0-0-0-0-0-0-0-0-0-0-26-22-S"), HasSubstr(":3: the game is over"));
  EXPECT_THAT(error("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S Ff E"), HasSubstr("'E'"));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("no openings"));
  EXPECT_THROW(read_openings(file_.string() + "-missing", rules_), Error);
}

TEST_F(Openings, AMatchPlaysEachOpeningFromBothSeats) {
  MatchSettings settings;
  settings.book = read("FfEb\nFeDa\n4-4-4-4-4-4-4-4-4-4-4-4-0-0-N\n");
  settings.games = 6;
  const auto a = make_random_player(), b = make_random_player();
  std::vector<PlayedGame> games;
  play_match(settings, *a, *b, {}, &games);
  std::multiset<std::string> begun;
  for (const PlayedGame& played : games) begun.insert(position_text(played.game.start()).back() + line_text(played.game).substr(0, 4));
  EXPECT_EQ(begun.count("SFfEb"), 2u);
  EXPECT_EQ(begun.count("SFeDa"), 2u);
  EXPECT_EQ(std::count_if(begun.begin(), begun.end(), [](const std::string& text) { return text[0] == 'N'; }), 2);
  EXPECT_EQ(openings_name(settings), settings.book.name);
  settings.games = 8;  // one more pair than openings: from the beginning again
  EXPECT_EQ(match_openings(settings).size(), 4u);
  EXPECT_EQ(line_text(match_openings(settings)[3]), line_text(match_openings(settings)[0]));
}

TEST_F(Openings, BalancedLinesAreAllThatASearchFindsLevel) {
  const BalanceSettings balance{6, 1};
  const OpeningBook book = balanced_openings(rules_, 3, balance, 2);
  std::set<std::string> level;
  for (const Game& line : book.lines) {
    EXPECT_EQ(line.plies(), 3);
    level.insert(line_text(line));
  }
  EXPECT_EQ(level.size(), book.lines.size());
  std::size_t expected = 0;
  for (const Game& line : all_lines(rules_, 3)) {
    const bool is_level = std::abs(AlphaBeta().search(line, 6).value) <= 1;
    EXPECT_EQ(level.contains(line_text(line)), is_level) << line_text(line);
    expected += is_level;
  }
  EXPECT_EQ(book.lines.size(), expected);
  EXPECT_GT(expected, 10u);
  EXPECT_LT(expected, all_lines(rules_, 3).size());
  EXPECT_EQ(book.name, "balanced 3 plies, depth 6 within 1");
}

TEST_F(Openings, TooManyLinesAndNoneAreRefused) {
  EXPECT_THROW(balanced_openings(rules_, 12, {}, 1), Error);
  EXPECT_TRUE(all_lines(rules_, 12).empty());
  EXPECT_THROW(balanced_openings(parse_rules("abapa,quiet_plies=2"), 3, {}, 1), Error);
}

}  // namespace
}  // namespace wari
