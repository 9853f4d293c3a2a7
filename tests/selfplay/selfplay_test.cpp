#include "selfplay/selfplay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/error.h"
#include "selfplay/lanes_file.h"
#include "selfplay/record.h"
#include "tests/endgame/small_tables.h"
#include "tests/selfplay/fake_engine.h"

namespace wari {
namespace {

using test::error_of;
using test::FakeEngine;
using testing::AllOf;
using testing::HasSubstr;

EngineFactory fake_engines(std::vector<FakeEngine*>* made = nullptr) {
  return [made](const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator>) {
    auto engine = std::make_unique<FakeEngine>(settings);
    if (made) made->push_back(engine.get());
    return engine;
  };
}

SelfplaySettings settings_of(int lanes) {
  SelfplaySettings settings;
  settings.lanes = lanes;
  settings.play.simulations = 8;
  return settings;
}

SelfplayOptions options_of(int workers, std::int64_t games_end, EngineFactory make_engine) {
  SelfplayOptions options;
  options.rules = make_rules_mix({{"abapa", 1}, {"warri", 2}});
  options.seed = 5;
  options.workers = workers;
  options.games_end = games_end;
  options.make_engine = std::move(make_engine);
  return options;
}

std::vector<GameRecord> play_all(int lanes, int workers, std::int64_t games, EngineFactory make_engine) {
  const auto evaluator = make_hash_evaluator();
  Selfplay selfplay(settings_of(lanes), options_of(workers, games, std::move(make_engine)), *evaluator);
  std::vector<GameRecord> finished;
  while (!selfplay.all_idle()) selfplay.run(50, finished);
  std::sort(finished.begin(), finished.end(), [](const GameRecord& a, const GameRecord& b) { return a.game < b.game; });
  return finished;
}

TEST(RulesMix, AGameFollowsTheSetAtItsPlaceInTheCycle) {
  const RulesMix mix = make_rules_mix({{"abapa", 3}, {"warri", 1}});
  ASSERT_EQ(mix.cycle.size(), 4u);
  EXPECT_EQ(mix.index_of_game(0), 0);
  EXPECT_EQ(mix.index_of_game(3 * 128 - 1), 0);
  EXPECT_EQ(mix.index_of_game(3 * 128), 1);
  EXPECT_EQ(mix.index_of_game(4 * 128), 0);
}

TEST(RulesMix, RefusesWhatCannotBePlayed) {
  EXPECT_THAT(error_of([] { make_rules_mix({{"abapa,quiet_plies=0", 1}}); }), HasSubstr("quiet_plies"));
  EXPECT_THAT(error_of([] { make_rules_mix({{"abapa", 1}, {"abapa,laps=single", 2}}); }), HasSubstr("twice"));
  EXPECT_THAT(error_of([] { make_rules_mix({{"abapa", 1'000'000}}); }), HasSubstr("weights"));
  EXPECT_THAT(error_of([] { make_rules_mix({}); }), HasSubstr("rule set"));
}

class TableGames : public testing::Test {
 protected:
  static constexpr int kSeeds = 9;
  static std::vector<GameRecord> played(const EndgameSettings& endgame, int lanes = 32, int workers = 2) {
    static const EndgameTables tables = small_tables(make_rules_mix({{"abapa", 1}, {"warri", 2}}).rules, kSeeds);
    const auto evaluator = make_hash_evaluator();
    SelfplaySettings settings = settings_of(lanes);
    settings.endgame = endgame;
    SelfplayOptions options = options_of(workers, 260, {});
    if (endgame.seeds > 0) options.tables = tables;
    Selfplay selfplay(settings, std::move(options), *evaluator);
    std::vector<GameRecord> finished;
    while (!selfplay.all_idle()) selfplay.run(50, finished);
    std::sort(finished.begin(), finished.end(), [](const GameRecord& a, const GameRecord& b) { return a.game < b.game; });
    return finished;
  }
  static EndgameSettings endgame(int seeds, TableSearch search, double share) {
    EndgameSettings settings;
    settings.seeds = seeds;
    settings.search = search;
    settings.adjudicated_share = share;
    return settings;
  }
};

TEST_F(TableGames, EndWhereTheTableKnowsTheResultWhateverACyclePays) {
  const std::vector<Rules> sets = make_rules_mix({{"abapa", 1}, {"warri", 2}}).rules;
  const EndgameTables tables = small_tables(sets, kSeeds);
  int by_table = 0;
  for (const GameRecord& record : played(endgame(kSeeds, TableSearch::all, 1.0))) {
    const Rules& rules = sets[record.rules_index];
    ASSERT_EQ(verify_game(record, rules), "");
    const EndgameView view = endgame_view(tables, rules);
    Game game(rules);
    for (int ply = 0; ply < record.length(); ++ply) {
      ASSERT_FALSE(ply > 0 && game.quiet_plies() == 0 && view.holds(game.position()) && view.value(game.position()).exact) << "game " << record.game << " went on at ply " << ply;
      game.play(record.plies[static_cast<std::size_t>(ply)].action);
    }
    if (record.end != End::table) continue;
    ++by_table;
    ASSERT_TRUE(!game.is_over() && game.quiet_plies() == 0 && view.holds(game.position()));
    const EndgameValue value = view.value(game.position());
    ASSERT_TRUE(value.exact);
    const int south = north_moves(game.position()) ? -value.seeds : value.seeds;
    const Row& south_row = north_moves(game.position()) ? game.position().opponent : game.position().mover;
    const Row& north_row = north_moves(game.position()) ? game.position().mover : game.position().opponent;
    EXPECT_EQ(record.south_half_seeds - record.north_half_seeds, 2 * (store_seeds(south_row) - store_seeds(north_row) + south));
    EXPECT_THAT(game_json(record, rules), HasSubstr("\"ended\":\"table\""));
  }
  EXPECT_GT(by_table, 60);
}

TEST_F(TableGames, AreTheSameAtAnyLanesAndWorkers) {
  const EndgameSettings settings = endgame(kSeeds, TableSearch::all, 0.5);
  EXPECT_EQ(played(settings, 32, 2), played(settings, 7, 1));
}

TEST_F(TableGames, EachUseCanBeSwitchedOff) {
  const auto ended = [](const std::vector<GameRecord>& games) { return std::count_if(games.begin(), games.end(), [](const GameRecord& game) { return game.end == End::table; }); };
  const std::vector<GameRecord> without = played(endgame(0, TableSearch::all, 1.0));
  EXPECT_EQ(played(endgame(kSeeds, TableSearch::none, 0.0)), without);
  const std::vector<GameRecord> searched = played(endgame(kSeeds, TableSearch::all, 0.0)), adjudicated = played(endgame(kSeeds, TableSearch::none, 1.0));
  EXPECT_NE(searched, without);
  EXPECT_EQ(ended(searched), 0);
  EXPECT_GT(ended(adjudicated), 60);
  // Adjudicated alone, a game is the beginning of the one that was played out.
  for (std::size_t i = 0; i < without.size(); ++i) {
    ASSERT_LE(adjudicated[i].length(), without[i].length());
    EXPECT_TRUE(std::equal(adjudicated[i].plies.begin(), adjudicated[i].plies.end(), without[i].plies.begin()));
  }
  const auto half = ended(played(endgame(kSeeds, TableSearch::none, 0.5)));
  EXPECT_GT(half, ended(adjudicated) / 4);
  EXPECT_LT(half, 3 * ended(adjudicated) / 4);
}

TEST(Selfplay, EveryGameComesOnceAndWholeAtAnyLanesAndWorkers) {
  const std::vector<GameRecord> first = play_all(1, 1, 300, fake_engines());
  ASSERT_EQ(first.size(), 300u);
  const RulesMix mix = make_rules_mix({{"abapa", 1}, {"warri", 2}});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].game, static_cast<std::int64_t>(i));
    EXPECT_EQ(first[i].rules_index, mix.index_of_game(first[i].game));
    EXPECT_EQ(verify_game(first[i], mix.rules[first[i].rules_index]), "");
  }
  for (const auto& [lanes, workers] : std::vector<std::pair<int, int>>{{7, 1}, {64, 2}, {512, 3}, {2, 8}}) EXPECT_EQ(play_all(lanes, workers, 300, fake_engines()), first) << lanes;
}

// The real lanes, judged by the hash evaluator.
TEST(Selfplay, SearchedGamesAreTheSameAtAnyLanesAndWorkers) {
  const std::vector<GameRecord> first = play_all(1, 1, 30, nullptr);
  ASSERT_EQ(first.size(), 30u);
  std::set<std::string> lines;
  for (const GameRecord& game : first) {
    EXPECT_EQ(verify_game(game, parse_rules("abapa")), "");
    std::string line;
    for (const PlyRecord& ply : game.plies) line.push_back(static_cast<char>(ply.action));
    lines.insert(line);
  }
  EXPECT_EQ(lines.size(), first.size()) << "distinct games";
  EXPECT_EQ(play_all(7, 2, 30, nullptr), first);
  EXPECT_EQ(play_all(64, 3, 30, nullptr), first);
}

TEST(Selfplay, GamesInFlightGoOnAfterSavingAndLoading) {
  const auto evaluator = make_hash_evaluator();
  const auto options = [&] { return options_of(2, INT64_MAX, nullptr); };
  Selfplay whole(settings_of(24), options(), *evaluator);
  std::vector<GameRecord> finished;
  whole.run(200, finished);
  const std::string bytes = whole.save();
  Selfplay resumed(settings_of(24), options(), *evaluator);
  EXPECT_EQ(resumed.load(bytes, "lanes.bin"), 0);
  EXPECT_EQ(resumed.save(), bytes);
  std::vector<GameRecord> here, there;
  whole.run(1200, here);
  resumed.run(1200, there);
  EXPECT_GT(here.size(), 20u);
  EXPECT_EQ(here, there);
  EXPECT_EQ(whole.save(), resumed.save());
  // Games of which a part was played before the save are whole.
  const RulesMix mix = options().rules;
  for (const GameRecord& game : there) EXPECT_EQ(verify_game(game, mix.rules[game.rules_index]), "");
}

TEST(Selfplay, LoadingGivesEachLaneItsPositionAndHistory) {
  const auto evaluator = make_hash_evaluator();
  Selfplay selfplay(settings_of(10), options_of(1, INT64_MAX, fake_engines()), *evaluator);
  std::vector<GameRecord> finished;
  selfplay.run(130, finished);
  std::vector<FakeEngine*> engines;
  Selfplay other(settings_of(10), options_of(3, INT64_MAX, fake_engines(&engines)), *evaluator);
  other.load(selfplay.save(), "lanes.bin");
  std::vector<LaneState> states;
  for (FakeEngine* engine : engines) states.insert(states.end(), engine->loaded_.begin(), engine->loaded_.end());
  const std::vector<Rules> rules = make_rules_mix({{"abapa", 1}, {"warri", 2}}).rules;
  const std::vector<GameRecord> lanes = unpack_lanes(selfplay.save(), rules, "lanes.bin");
  ASSERT_EQ(states.size(), 10u);
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(states[i].game % 10, static_cast<std::int64_t>(i));
    EXPECT_EQ(states[i].ply, lanes[i].length());
    ASSERT_FALSE(states[i].since_capture.empty());
  }
}

TEST(Selfplay, WithOtherLanesTheGamesInFlightAreDroppedAndNumbersGoOn) {
  const auto evaluator = make_hash_evaluator();
  Selfplay selfplay(settings_of(10), options_of(1, INT64_MAX, fake_engines()), *evaluator);
  std::vector<GameRecord> before, after;
  selfplay.run(500, before);
  const std::string bytes = selfplay.save();
  std::int64_t above = 0;
  for (const GameRecord& game : unpack_lanes(bytes, make_rules_mix({{"abapa", 1}, {"warri", 2}}).rules, "lanes.bin")) above = std::max(above, game.game + 1);
  Selfplay wider(settings_of(16), options_of(2, INT64_MAX, fake_engines()), *evaluator);
  EXPECT_EQ(wider.load(bytes, "lanes.bin"), 10);
  wider.run(2000, after);
  std::set<std::int64_t> numbers;
  for (const GameRecord& game : after) numbers.insert(game.game);
  EXPECT_EQ(numbers.size(), after.size());
  EXPECT_EQ(*numbers.begin(), above);
  for (std::int64_t lane = 0; lane < 16; ++lane) EXPECT_TRUE(numbers.count(above + lane)) << "lane " << lane << " goes on with M + lane";
}

TEST(Selfplay, DamagedLanesAreRefusedByNameAndReason) {
  const auto evaluator = make_hash_evaluator();
  Selfplay selfplay(settings_of(4), options_of(1, INT64_MAX, fake_engines()), *evaluator);
  std::vector<GameRecord> finished;
  selfplay.run(40, finished);
  const std::string good = selfplay.save();
  const auto message = [&](const std::string& bytes) { return error_of([&] { selfplay.load(bytes, "run/lanes.bin"); }); };
  EXPECT_EQ(message(good), "");
  EXPECT_THAT(message(""), AllOf(HasSubstr("empty"), HasSubstr("run/lanes.bin")));
  EXPECT_THAT(message("<html>"), HasSubstr("not a file of games in flight"));
  EXPECT_THAT(message(good.substr(0, 12)), HasSubstr("truncated"));
  EXPECT_THAT(message(good.substr(0, good.size() - 3)), HasSubstr("truncated or damaged"));
  std::string newer = good;
  newer[8] = 9;
  EXPECT_THAT(message(newer), HasSubstr("format 9"));
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 61) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 16);
    EXPECT_THAT(message(flipped), HasSubstr("run/lanes.bin")) << "byte " << at;
  }
  SelfplayOptions others = options_of(1, INT64_MAX, fake_engines());
  others.rules = make_rules_mix({{"awari", 1}});
  Selfplay other(settings_of(4), others, *evaluator);
  EXPECT_THAT(error_of([&] { other.load(good, "run/lanes.bin"); }), HasSubstr("other rule sets"));
}

TEST(Selfplay, ANewNetworkReachesEveryWorkerAndTheGamesGoOn) {
  std::vector<FakeEngine*> engines;
  const auto evaluator = make_hash_evaluator();
  Selfplay selfplay(settings_of(12), options_of(3, 120, fake_engines(&engines)), *evaluator);
  std::vector<GameRecord> finished;
  while (!selfplay.all_idle()) {
    selfplay.run(7, finished);
    selfplay.set_evaluator(*evaluator);
  }
  ASSERT_EQ(engines.size(), 3u);
  for (const FakeEngine* engine : engines) EXPECT_GT(engine->evaluators_set_, 10);
  EXPECT_EQ(finished.size(), 120u);
  std::sort(finished.begin(), finished.end(), [](const GameRecord& a, const GameRecord& b) { return a.game < b.game; });
  EXPECT_EQ(finished, play_all(5, 1, 120, fake_engines()));
}

TEST(Selfplay, AWorkersErrorIsThrownWhereRunWasCalled) {
  class Failing final : public Evaluator {
   public:
    bool needs_tokens() const override { return false; }
    void evaluate(const EvaluationBatch&, float*) override { throw Error("the network is gone"); }
    std::unique_ptr<Evaluator> clone() const override { return std::make_unique<Failing>(); }
  };
  std::vector<GameRecord> finished;
  Selfplay selfplay(settings_of(8), options_of(3, INT64_MAX, nullptr), Failing());
  EXPECT_EQ(error_of([&] { selfplay.run(50, finished); }), "the network is gone");
}

TEST(Assembler, AMoveThatDoesNotContinueItsGameIsAFault) {
  GameAssembler assembler({Rules{}});
  std::vector<MoveRecord> log = test::fake_log(Rules{}, 3);
  std::vector<GameRecord> finished;
  log.erase(log.begin() + 4);
  EXPECT_THAT(error_of([&] { assembler.add(log, finished); }), HasSubstr("ply 5 of game 3 where ply 4"));
  log = test::fake_log(Rules{}, 4);
  log.push_back(log.back());  // a move after the end
  EXPECT_THAT(error_of([&] { assembler.add(log, finished); }), HasSubstr("of game 4 where ply 0"));
}

TEST(Assembler, ManyGamesComeApartInOneGo) {
  constexpr std::uint64_t kGames = 70;  // more than are looked up together
  std::vector<std::vector<MoveRecord>> logs;
  for (std::uint64_t game = 0; game < kGames; ++game) logs.push_back(test::fake_log(Rules{}, game));
  std::vector<MoveRecord> mixed;
  for (std::size_t ply = 0, left = 1; left > 0; ++ply) {
    left = 0;
    for (const std::vector<MoveRecord>& log : logs) {
      if (ply < log.size()) mixed.push_back(log[ply]);
      left += ply + 1 < log.size() ? 1 : 0;
    }
  }
  GameAssembler assembler({Rules{}});
  std::vector<GameRecord> finished;
  assembler.add(mixed, finished);
  ASSERT_EQ(finished.size(), kGames);
  for (const GameRecord& game : finished) EXPECT_EQ(game, test::fake_game(Rules{}, game.game));
  EXPECT_EQ(assembler.games_in_flight(), 0u);
}

TEST(Assembler, GamesThatComeMixedComeApart) {
  const std::vector<MoveRecord> first = test::fake_log(Rules{}, 1), second = test::fake_log(Rules{}, 2);
  GameAssembler assembler({Rules{}});
  std::vector<GameRecord> finished;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) assembler.add({&first[i], 1}, finished);
    if (i < second.size()) assembler.add({&second[i], 1}, finished);
  }
  ASSERT_EQ(finished.size(), 2u);
  for (const GameRecord& game : finished) EXPECT_EQ(game, test::fake_game(Rules{}, game.game));
  EXPECT_EQ(assembler.games_in_flight(), 0u);
}

// Judges nothing but the impossible.
class NotANumber final : public Evaluator {
 public:
  bool needs_tokens() const override { return false; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override { std::fill_n(outputs, static_cast<std::size_t>(batch.rows) * kOutputs, std::nanf("")); }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<NotANumber>(); }
};

TEST(Selfplay, OutputsThatAreNoNumbersAreCountedOverAllWorkers) {
  SelfplaySettings settings = settings_of(8);
  Selfplay selfplay(settings, options_of(2, 8, {}), NotANumber());
  std::vector<GameRecord> finished;
  while (!selfplay.all_idle()) selfplay.run(64, finished);
  EXPECT_EQ(finished.size(), 8u);
  const EngineCounters counters = selfplay.counters();
  EXPECT_EQ(counters.bad_outputs, counters.evaluations) << "each evaluation was bad";
}

}  // namespace
}  // namespace wari
