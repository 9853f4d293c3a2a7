#include "arena/tournament.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"

namespace wari {
namespace {

using testing::HasSubstr;

// Always plays on, or always crashes.
class Ranked final : public Player {
 public:
  Ranked(std::string name, bool wins_all) : name_(std::move(name)), wins_all_(wins_all) {}
  std::string name() const override { return name_; }
  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    asked_ += games.size();
    std::vector<int> actions;
    for (const Game* game : games) actions.push_back(wins_all_ ? __builtin_ctz(game->legal()) : kCrashed);
    return actions;
  }
  std::size_t asked_ = 0;

 private:
  std::string name_;
  bool wins_all_;
};

class Tournament : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() /
            ("wari-tournament-" + std::to_string(getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".sqlite");
    std::filesystem::remove(file_);
    settings_.match.games = 20;
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static std::vector<std::unique_ptr<Player>> players(std::initializer_list<const char*> names) {
    std::vector<std::unique_ptr<Player>> all;
    for (const char* name : names) all.push_back(make_player(name, {}));
    return all;
  }
  std::string error(std::initializer_list<const char*> names) {
    try {
      play_tournament(settings_, players(names), nullptr);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TournamentSettings settings_;
  std::filesystem::path file_;
};

TEST_F(Tournament, EveryoneMeetsEveryoneAndIsRated) {
  settings_.anchors = {{"random", 100.0}};
  const TournamentResult result = play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=3"}), nullptr);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.pairings.size(), 3u);
  for (const char* player : {"random", "greedy", "alphabeta:depth=3"}) EXPECT_EQ(games_of(result.pairings, player).games(), 40) << player;
  EXPECT_EQ(games_between(result.pairings, "random", "greedy").wins, games_between(result.pairings, "greedy", "random").losses);
  EXPECT_DOUBLE_EQ(result.ratings.find("random")->elo, 100);
  EXPECT_GT(result.ratings.find("greedy")->elo, 100);
  EXPECT_GT(result.ratings.find("alphabeta:depth=3")->elo, result.ratings.find("greedy")->elo);
  EXPECT_TRUE(result.ratings.warnings.empty());
}

TEST_F(Tournament, AScriptedWinnerHasExactlyItsTable) {
  std::vector<std::unique_ptr<Player>> two;
  two.push_back(std::make_unique<Ranked>("winner", true));
  two.push_back(std::make_unique<Ranked>("loser", false));
  const TournamentResult result = play_tournament(settings_, two, nullptr);
  EXPECT_EQ(games_of(result.pairings, "winner"), (GameCounts{20, 0, 0}));
  EXPECT_EQ(games_of(result.pairings, "loser"), (GameCounts{0, 0, 20}));
  const StoredMatch& match = result.pairings[0].match;
  EXPECT_EQ(match.a, "loser");
  EXPECT_EQ(match.pairs, (Pentanomial{10, 0, 0, 0, 0}));
  EXPECT_EQ(match.a_forfeits, (ForfeitCounts{20, 0, 0}));
  EXPECT_NEAR(result.ratings.find("winner")->elo, -result.ratings.find("loser")->elo, 1e-9);  // no anchor: the mean is 0
  EXPECT_TRUE(result.ratings.warnings.empty());
}

TEST_F(Tournament, TheOrderOfPlayersChangesNothing) {
  const TournamentResult one = play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=1"}), nullptr);
  const TournamentResult other = play_tournament(settings_, players({"alphabeta:depth=1", "greedy", "random"}), nullptr);
  for (const char* player : {"random", "greedy", "alphabeta:depth=1"}) {
    EXPECT_EQ(games_of(one.pairings, player), games_of(other.pairings, player)) << player;
    EXPECT_NEAR(one.ratings.find(player)->elo, other.ratings.find(player)->elo, 1e-6) << player;
  }
}

TEST_F(Tournament, StoredPairingsAreNotPlayedAgain) {
  const TournamentResult whole = play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=1"}), nullptr);
  ResultsDatabase database(file_);
  int calls = 0;
  const TournamentResult stopped =
      play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=1"}), &database, [&](const TournamentProgress& progress) {
        return progress.finished < 1 || ++calls < 5;  // in the second pairing
      });
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.pairings.size(), 1u);
  EXPECT_EQ(database.matches().size(), 1u);
  const TournamentResult resumed = play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=1"}), &database);
  EXPECT_TRUE(resumed.complete);
  ASSERT_EQ(resumed.pairings.size(), 3u);
  EXPECT_TRUE(resumed.pairings[0].was_stored);
  EXPECT_FALSE(resumed.pairings[1].was_stored);
  for (const Rating& rating : whole.ratings.players) EXPECT_DOUBLE_EQ(resumed.ratings.find(rating.player)->elo, rating.elo);
  // One more player: only its pairings are played.
  const TournamentResult larger = play_tournament(settings_, players({"alphabeta:depth=2", "random", "greedy", "alphabeta:depth=1"}), &database);
  EXPECT_EQ(std::count_if(larger.pairings.begin(), larger.pairings.end(), [](const TournamentPairing& pairing) { return pairing.was_stored; }), 3);
  EXPECT_EQ(larger.pairings.size(), 6u);
  // Other settings are another tournament.
  settings_.match.seed = 2;
  EXPECT_FALSE(play_tournament(settings_, players({"random", "greedy"}), &database).pairings[0].was_stored);
}

// The name stays, the weights do not: what an earlier network has played is not this one's.
TEST_F(Tournament, APlayerOfAnotherVersionIsAnother) {
  ResultsDatabase database(file_);
  const auto play = [&](const std::string& version) {
    std::vector<std::unique_ptr<Player>> two = players({"random", "greedy"});
    two[1]->set_version(version);
    return play_tournament(settings_, two, &database).pairings[0].was_stored;
  };
  EXPECT_FALSE(play("aaaa"));
  EXPECT_TRUE(play("aaaa"));
  EXPECT_FALSE(play("bbbb"));
}

TEST_F(Tournament, ProgressTellsRateAndTimeLeftOfAll) {
  double share = 0;
  int last = -1;
  play_tournament(settings_, players({"random", "greedy", "alphabeta:depth=1"}), nullptr, [&](const TournamentProgress& progress) {
    EXPECT_GE(progress.share, share);
    EXPECT_GE(progress.finished, last);
    EXPECT_EQ(progress.pairings, 3);
    share = progress.share;
    last = progress.finished;
    return true;
  });
  EXPECT_DOUBLE_EQ(share, 1);
  EXPECT_EQ(last, 2);
  TournamentProgress progress;
  progress.a = "x", progress.b = "y", progress.finished = 2, progress.pairings = 10, progress.share = 0.25, progress.seconds = 60;
  progress.match = {100, 400, {80, 10, 10}, 0.5, 20.0, {}};
  EXPECT_EQ(progress_text(progress), "pairing 3 of 10, x - y: 100/400 games, 85.0 %, 10 games/s; 180 s left in all");
}

TEST_F(Tournament, WrongUseIsRefused) {
  EXPECT_THAT(error({"random"}), HasSubstr("too few players"));
  EXPECT_THAT(error({"random", "greedy", "random"}), HasSubstr("a player given twice: 'random'"));
  settings_.match.games = 3;
  EXPECT_THAT(error({"random", "greedy"}), HasSubstr("'3'"));
  settings_.match.games = 2;
  settings_.anchors = {{"gredy", 0.0}};
  EXPECT_THAT(error({"random", "greedy"}), HasSubstr("'greedy'"));
}

}  // namespace
}  // namespace wari
