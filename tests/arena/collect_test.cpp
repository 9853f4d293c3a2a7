#include "arena/collect.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "core/error.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

class Collect : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("wari-collect-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static StoredMatch match_of(const std::string& key, const std::string& a, const std::string& b, const std::string& a_version = "") {
    StoredMatch match;
    match.key = key;
    match.a = a;
    match.b = b;
    match.a_version = a_version;
    match.rules = "abapa";
    match.first = {6, 0, 4};
    match.second = {5, 0, 5};
    return match;
  }

  fs::path folder_;
};

TEST_F(Collect, CheckpointsOfDifferentRunsAreToldApartAndReferencesAreNot) {
  for (const char* run : {"a", "b"}) {
    fs::create_directories(folder_ / run);
    ResultsDatabase(folder_ / run / "results.sqlite").insert(match_of("10: iteration 10 - random", "iteration 10", "random"));
  }
  const std::vector<StoredMatch> all = collect_results({folder_ / "a", folder_ / "b/"});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].a, (folder_ / "a").string() + " iteration 10");
  EXPECT_EQ(all[1].a, (folder_ / "b").string() + " iteration 10");
  EXPECT_EQ(all[0].b, "random");
  EXPECT_EQ(all[1].b, "random");
  EXPECT_NE(all[0].key, all[1].key);
}

TEST_F(Collect, OneNameWithTwoVersionsIsTwoPlayers) {
  const fs::path file = folder_ / "t.sqlite";
  {
    ResultsDatabase database(file);
    database.insert(match_of("1", "search:checkpoint=runs/a", "random", "aaaaaaaaaaaa"));
    database.insert(match_of("2", "search:checkpoint=runs/a", "random", "bbbbbbbbbbbb"));
    database.insert(match_of("3", "search:checkpoint=runs/c", "random", "cccccccccccc"));
  }
  std::set<std::string> players;
  for (const StoredMatch& match : collect_results({file})) players.insert(match.a);
  EXPECT_EQ(players, (std::set<std::string>{"search:checkpoint=runs/a [aaaaaaaa]", "search:checkpoint=runs/a [bbbbbbbb]", "search:checkpoint=runs/c"}));
  EXPECT_EQ(collect_results({file, file}).size(), 3u) << "the same matches twice";
}

TEST_F(Collect, WhatIsMissingIsNamedAndNothingIsMade) {
  EXPECT_THROW(collect_results({folder_ / "none.sqlite"}), Error);
  EXPECT_THROW(collect_results({folder_}), Error);
  EXPECT_FALSE(fs::exists(folder_ / "none.sqlite"));
  EXPECT_FALSE(fs::exists(folder_ / "results.sqlite"));
}

}  // namespace
}  // namespace wari
