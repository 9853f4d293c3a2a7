#include "arena/results.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "arena/evaluation.h"
#include "core/error.h"

namespace wari {
namespace {

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("wari-results-" + std::to_string(getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "results.sqlite"; }
  std::filesystem::path folder_;
};

class NamedGreedy final : public Player {
 public:
  explicit NamedGreedy(std::string name) : name_(std::move(name)), greedy_(make_greedy_player()) {}
  std::string name() const override { return name_; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override { return greedy_->choose(games, keys); }

 private:
  std::string name_;
  std::unique_ptr<Player> greedy_;
};

StoredMatch match_of(const std::string& key, int iteration = 1) {
  MatchSettings settings;
  settings.rules = parse_rules("warri,laps=two");
  settings.seed = std::numeric_limits<std::uint64_t>::max();
  MatchResult result;
  result.first = {3, 2, 1};
  result.second = {1, 0, 5};
  result.elo = -34.5;
  result.elo_error_95 = 80;
  result.distinct_games = 11;
  result.pairs = {1, 0, 3, 1, 1};
  result.a_forfeits = {1, 2, 3};
  result.b_forfeits = {4, 5, 6};
  NamedGreedy a("iteration 1");
  a.set_version("0123456789abcdef");
  return stored_match(key, iteration, a, *make_random_player(), settings, result);
}

TEST_F(Results, WhoeverOnlyReadsMakesAndChangesNothing) {
  EXPECT_THROW(ResultsDatabase(file(), ResultsDatabase::Access::read), Error);
  EXPECT_FALSE(std::filesystem::exists(file()));
  ResultsDatabase database(file());
  EXPECT_TRUE(database.insert(match_of("one")));
  ResultsDatabase reader(file(), ResultsDatabase::Access::read);
  EXPECT_EQ(reader.matches().size(), 1u);
  EXPECT_TRUE(database.insert(match_of("two"))) << "a reader is in nobody's way";
  EXPECT_EQ(reader.matches().size(), 2u);
  EXPECT_THROW(reader.insert(match_of("three")), Error);
  EXPECT_EQ(database.matches().size(), 2u);
}

TEST_F(Results, WhatIsStoredIsReadBackByAnotherProcess) {
  {
    ResultsDatabase database(file());
    EXPECT_TRUE(database.insert(match_of("one")));
  }
  const std::vector<StoredMatch> matches = ResultsDatabase(file()).matches();
  ASSERT_EQ(matches.size(), 1u);
  const StoredMatch& match = matches.front();
  EXPECT_EQ(match.key, "one");
  EXPECT_EQ(match.iteration, 1);
  EXPECT_EQ(match.a, "iteration 1");
  EXPECT_EQ(match.b, "random");
  EXPECT_EQ(match.rules, "warri,laps=two");
  EXPECT_EQ(match.first, (GameCounts{3, 2, 1}));
  EXPECT_EQ(match.second, (GameCounts{1, 0, 5}));
  EXPECT_EQ(match.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(match.distinct_games, 11);
  EXPECT_DOUBLE_EQ(match.elo, -34.5);
  EXPECT_EQ(match.version, program_version());
  EXPECT_NE(match.version.find("search "), std::string::npos);
  EXPECT_EQ(match.a_version, "0123456789abcdef");
  EXPECT_EQ(match.b_version, "");
  EXPECT_EQ(match.openings, "random 4 plies");
  EXPECT_EQ(match.pairs, (Pentanomial{1, 0, 3, 1, 1}));
  EXPECT_EQ(match.a_forfeits, (ForfeitCounts{1, 2, 3}));
  EXPECT_EQ(match.b_forfeits, (ForfeitCounts{4, 5, 6}));
  EXPECT_GT(match.unix_time_s, 1'600'000'000);
}

TEST_F(Results, ARepeatedInsertChangesNothing) {
  ResultsDatabase database(file());
  EXPECT_TRUE(database.insert(match_of("one")));
  StoredMatch again = match_of("one");
  again.elo = 999;
  EXPECT_FALSE(database.insert(again));
  EXPECT_TRUE(database.insert(match_of("two")));
  ASSERT_EQ(database.matches().size(), 2u);
  EXPECT_DOUBLE_EQ(database.matches().front().elo, -34.5);
}

TEST_F(Results, LaterIterationsCanBeSetAside) {
  ResultsDatabase database(file());
  for (int iteration = 0; iteration < 5; ++iteration) database.insert(match_of(std::to_string(iteration), iteration));
  EXPECT_EQ(database.erase_after(2), 2);
  EXPECT_EQ(database.matches().size(), 3u);
  EXPECT_EQ(database.erase_after(2), 0);
}

TEST_F(Results, ForeignDamagedAndNewerFilesAreRefused) {
  std::ofstream(file()) << "this is no database, and long enough to have a header of one hundred bytes or more, so that it is looked at closely";
  EXPECT_THROW(ResultsDatabase{file()}, Error);
  EXPECT_TRUE(std::filesystem::exists(file()));
  EXPECT_THROW(ResultsDatabase{folder_ / "no" / "such" / "folder.sqlite"}, Error);
  std::filesystem::remove(file());
  { ResultsDatabase database(file()); }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(63);  // the last byte of user_version in an SQLite header
  bytes.put(99);
  bytes.close();
  try {
    ResultsDatabase database(file());
    ADD_FAILURE() << "a newer format was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("99"), std::string::npos) << error.what();
  }
}

// As the first version of the program wrote it.
TEST_F(Results, AFileOfTheFirstFormatIsBroughtToThePresentOne) {
  sqlite3* old = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &old), SQLITE_OK);
  const char* sql =
      "create table matches (number integer primary key, key text not null unique, iteration integer not null, a text not null, b text not null, rules text not null,"
      "first_wins integer not null, first_draws integer not null, first_losses integer not null, second_wins integer not null, second_draws integer not null, "
      "second_losses integer not null, seed text not null, opening_plies integer not null, distinct_games integer not null, elo real not null, elo_error_95 real not null,"
      "seconds real not null, version text not null, unix_time_s integer not null);"
      "insert into matches values (1,'10: iteration 10 - random',10,'iteration 10','random','abapa',49,1,0,48,0,2,'18446744073709551615',4,100,640.5,90,1.5,'0.1.0',1764000000);"
      "pragma application_id=1463898697; pragma user_version=1;";
  ASSERT_EQ(sqlite3_exec(old, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(old);
  for (int time = 0; time < 2; ++time) {  // the second time there is nothing to change
    ResultsDatabase database(file());
    const std::vector<StoredMatch> matches = database.matches();
    ASSERT_EQ(matches.size(), 1u + static_cast<std::size_t>(time));
    EXPECT_EQ(matches[0].first, (GameCounts{49, 1, 0}));
    EXPECT_EQ(matches[0].seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(matches[0].version, "0.1.0");
    EXPECT_EQ(matches[0].pairs, Pentanomial{});
    EXPECT_EQ(matches[0].openings, "");
    database.insert(match_of("new"));
    EXPECT_EQ(database.matches()[1].pairs, (Pentanomial{1, 0, 3, 1, 1}));
  }
}

EvaluationSettings small_evaluation() {
  EvaluationSettings settings;
  settings.games = settings.previous_games = 20;
  settings.references = {"random", "greedy", "alphabeta:depth=2"};
  return settings;
}

TEST_F(Results, AnEvaluationStoresAllMatchesAndRatesThem) {
  ResultsDatabase database(file());
  NamedGreedy first("iteration 1"), second("iteration 2");
  const Evaluation one = evaluate_player(small_evaluation(), Rules{}, 7, 1, first, nullptr, {}, database);
  EXPECT_TRUE(one.complete);
  ASSERT_EQ(one.matches.size(), 3u);
  EXPECT_EQ(one.matches[0].opponent, "random");
  EXPECT_GT(one.rating.elo, 100);
  EXPECT_EQ(database.matches().size(), 5u);  // and the references among themselves
  const Evaluation two = evaluate_player(small_evaluation(), Rules{}, 7, 2, second, &first, {}, database);
  ASSERT_EQ(two.matches.size(), 4u);
  EXPECT_EQ(two.matches[3].opponent, "iteration 1");
  EXPECT_EQ(database.matches().size(), 9u);
  EXPECT_TRUE(rate_run(database).warnings.empty());
  EXPECT_DOUBLE_EQ(rate_run(database).find("random")->elo, 0);
  // What comes later does not move what was said of the first, and its errors are those of the difference.
  EXPECT_DOUBLE_EQ(rate_run(database).find("iteration 1")->elo, one.rating.elo);
  EXPECT_DOUBLE_EQ(rate_run(database).find("iteration 1")->error_95, one.rating.error_95);
  EXPECT_FALSE(rate_run(database).find("iteration 1")->anchored);
  EXPECT_LT(two.rating.error_95, one.rating.error_95);
}

TEST_F(Results, AnEvaluationMadeAgainIsReadFromTheDatabase) {
  ResultsDatabase database(file());
  NamedGreedy player("iteration 1");
  const Evaluation once = evaluate_player(small_evaluation(), Rules{}, 7, 1, player, nullptr, {}, database);
  const Evaluation again = evaluate_player(small_evaluation(), Rules{}, 7, 1, player, nullptr, {}, database, [](const MatchProgress&) {
    ADD_FAILURE() << "a match was played";
    return true;
  });
  EXPECT_DOUBLE_EQ(again.rating.elo, once.rating.elo);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.matches[i].result.total, once.matches[i].result.total);
    EXPECT_DOUBLE_EQ(again.matches[i].result.first_player_score, once.matches[i].result.first_player_score);
  }
}

TEST_F(Results, AStoppedEvaluationGoesOnWhereItWas) {
  ResultsDatabase database(file());
  NamedGreedy player("iteration 1");
  int calls = 0;
  const Evaluation stopped = evaluate_player(small_evaluation(), Rules{}, 7, 1, player, nullptr, {}, database, [&](const MatchProgress& progress) {
    calls += progress.finished == progress.games;
    return calls < 1 || progress.finished == progress.games;
  });
  EXPECT_FALSE(stopped.complete);
  const std::size_t stored = database.matches().size();
  EXPECT_GT(stored, 0u);
  EXPECT_LT(stored, 5u);
  EXPECT_TRUE(evaluate_player(small_evaluation(), Rules{}, 7, 1, player, nullptr, {}, database).complete);
  EXPECT_EQ(database.matches().size(), 5u);
}

TEST_F(Results, EvaluationSettingsAreCheckedEarly) {
  EvaluationSettings settings = small_evaluation();
  EXPECT_NO_THROW(check_evaluation(settings, Rules{}));
  settings.games = 21;
  EXPECT_THROW(check_evaluation(settings, Rules{}), Error);
  settings.games = 20;
  settings.references.push_back("grady");
  EXPECT_THROW(check_evaluation(settings, Rules{}), Error);
  settings.references.back() = "uci:command=" + (folder_ / "none").string();
  EXPECT_THROW(check_evaluation(settings, Rules{}), Error);
  settings.every = 0;
  EXPECT_NO_THROW(check_evaluation(settings, Rules{}));
}

}  // namespace
}  // namespace wari
