#include "search/selfplay_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/error.h"
#include "tests/core/rule_mixes.h"
#include "tests/search/one_search.h"

namespace wari {
namespace {

SelfplayEngineSettings small_settings() {
  SelfplayEngineSettings settings;
  settings.play.simulations = 12;
  settings.play.capped_simulations = 5;
  settings.play.full_search_share = 0.6;
  settings.rules = {parse_rules("abapa"), parse_rules("warri"), parse_rules("awale,laps=two"), parse_rules("relay,seeds_per_pit=2")};
  settings.rules_cycle = {0, 1, 2, 3, 1};
  settings.seed = 11;
  settings.first_game = 120;  // games 120..127 play the first set, 128..159 the second
  settings.games_end = 160;
  return settings;
}

using GameKey = std::tuple<std::uint64_t, std::uint16_t>;
using Log = std::map<GameKey, MoveRecord>;

void add_to(Log& log, const std::vector<MoveRecord>& records) {
  for (const MoveRecord& record : records) {
    ASSERT_TRUE(log.emplace(GameKey{record.game, record.ply}, record).second) << "game " << record.game << " ply " << record.ply << " twice";
  }
}

// All games of the settings, by `engines` engines that share `total` lanes.
Log play_games(SelfplayEngineSettings settings, int total, int engines, const Evaluator& evaluator, int waves = 37) {
  Log log;
  int first = 0;
  for (int i = 0; i < engines; ++i) {
    settings.lanes = total * (i + 1) / engines - first;
    settings.first_lane = first;
    settings.total_lanes = total;
    first += settings.lanes;
    const auto engine = make_cpu_selfplay_engine(settings, evaluator.clone());
    std::vector<MoveRecord> records;
    while (!engine->all_idle()) engine->run(waves, records);
    add_to(log, records);
  }
  return log;
}

bool operator==(const MoveRecord& a, const MoveRecord& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_same_log(const Log& a, const Log& b) {
  ASSERT_EQ(a.size(), b.size());
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) ASSERT_TRUE(x->second == y->second) << "game " << x->second.game << " ply " << x->second.ply;
}

class SelfplayEngineTest : public testing::TestWithParam<Algorithm> {};

TEST_P(SelfplayEngineTest, GamesDependOnNeitherLanesNorEngines) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  for (const auto& make : {+[] { return make_hash_evaluator(5); }, +[] { return make_uniform_evaluator(); }}) {
    const auto evaluator = make();
    const Log alone = play_games(settings, 1, 1, *evaluator);
    expect_same_log(alone, play_games(settings, 7, 1, *evaluator));
    expect_same_log(alone, play_games(settings, 64, 2, *evaluator, 1000));
    expect_same_log(alone, play_games(settings, 40, 3, *evaluator, 1));
  }
}

TEST_P(SelfplayEngineTest, GamesThatAreHeldBackAreTheSameLater) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.lanes = settings.total_lanes = 9;
  const auto evaluator = make_hash_evaluator(5);
  const Log at_once = play_games(settings, 9, 1, *evaluator);
  const std::int64_t last = std::exchange(settings.games_end, 120);
  const auto engine = make_cpu_selfplay_engine(settings, evaluator->clone());
  EXPECT_TRUE(engine->all_idle());
  std::vector<MoveRecord> records;
  for (std::int64_t end = 121; end <= last; end += 3) {
    engine->set_games_end(end);
    engine->run(50, records);
    for (const MoveRecord& record : records) ASSERT_LT(static_cast<std::int64_t>(record.game), end);
  }
  engine->set_games_end(last);
  while (!engine->all_idle()) engine->run(50, records);
  Log held;
  add_to(held, records);
  expect_same_log(at_once, held);
}

TEST_P(SelfplayEngineTest, LogsReplayByTheRules) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.first_game = 0;
  settings.games_end = 640;
  const Log log = play_games(settings, 200, 1, *make_hash_evaluator(5));
  std::set<std::uint64_t> games, first_moves;
  int full = 0, capped = 0, random = 0, forced = 0;
  const MoveRecord* last = nullptr;
  std::optional<Game> game;
  for (const auto& [key, record] : log) {
    if (!game || record.game != last->game) {
      if (game) {
        EXPECT_TRUE(game->is_over());
      }
      game.emplace(settings.rules[record.rules_index]);
      games.insert(record.game);
      EXPECT_EQ(record.rules_index, settings.rules_cycle[(record.game / 128) % settings.rules_cycle.size()]);
      EXPECT_EQ(record.ply, 0);
    }
    ASSERT_EQ(record.position, game->position());
    ASSERT_EQ(record.ply, game->plies());
    ASSERT_EQ(record.quiet_plies, game->quiet_plies());
    ASSERT_TRUE((game->legal() >> record.action) & 1);
    int sum = 0;
    for (int e = 0; e < kActions; ++e) {
      if (((game->legal() >> e) & 1) == 0) {
        EXPECT_EQ(record.policy[e], 0);
      }
      sum += record.policy[e];
    }
    const bool is_full = (record.flags & kFlagFull) != 0, is_random = (record.flags & kFlagRandom) != 0, is_forced = (record.flags & kFlagForced) != 0;
    EXPECT_EQ(sum, is_full ? 65535 : 0);
    EXPECT_EQ(is_forced, (game->legal() & (game->legal() - 1)) == 0);
    if (is_random) {
      EXPECT_LT(record.ply, settings.play.opening_plies_max);
    }
    if ((record.flags & kFlagNoise) != 0) {
      EXPECT_TRUE(is_full && record.ply < settings.play.noise_plies);
    }
    full += is_full;
    random += is_random;
    forced += is_forced;
    capped += !is_full && !is_random && !is_forced;
    game->play(record.action);
    ASSERT_EQ(record.end, static_cast<std::uint8_t>(game->end()));
    last = &record;
  }
  EXPECT_EQ(games.size(), 640u);
  EXPECT_NEAR(static_cast<double>(full) / (full + capped), 0.6, 0.03);
  EXPECT_GT(random, 640 * 2);
  EXPECT_GT(forced, 0);
}

TEST_P(SelfplayEngineTest, SavedLanesGoOnWithTheSameGames) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.lanes = 9;
  settings.total_lanes = 9;
  const Log whole = play_games(settings, 9, 1, *make_hash_evaluator(5));
  Log pieces;
  std::vector<LaneState> states;
  for (int piece = 0;; ++piece) {
    const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator(5));
    if (piece > 0) engine->load(states);
    if (engine->all_idle()) break;
    std::vector<MoveRecord> records;
    engine->run(50 + piece, records);
    add_to(pieces, records);
    engine->restart_searches();
    states = engine->save();
  }
  expect_same_log(whole, pieces);
}

TEST_P(SelfplayEngineTest, RowsAreFullAndOnlyActiveOnesMatter) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.rules = {parse_rules("abapa")};
  settings.rules_cycle = {0};
  settings.games_end = 200;
  const auto hash = make_hash_evaluator(5);
  std::int64_t rows = 0, active = 0;
  // Idle rows get poison; active ones must hold a live position with its tokens.
  const FunctionEvaluator watching(
      [&](const EvaluationBatch& batch, int row, float* outputs) {
        ++rows;
        if (batch.active[row] == 0) {
          std::fill_n(outputs, kOutputs, NAN);
          return;
        }
        ++active;
        Token tokens[kBoardTokens];
        const Rules& rules = batch.rules[batch.rules_index[row]];
        encode_board(sowing_tables(), rules, batch.positions[row], batch.quiet_plies[row], tokens);
        for (int i = 0; i < kBoardTokens; ++i) ASSERT_EQ(tokens[i], batch.board_tokens[row * kBoardTokens + i]);
        ASSERT_EQ(status(sowing_tables(), rules, batch.positions[row]).end, End::none);
        EvaluationBatch one = batch;
        one.rows = 1;
        one.positions += row;
        one.quiet_plies += row;
        one.rules_index += row;
        one.active += row;
        hash->evaluate(one, outputs);
      },
      true);
  const Log watched = play_games(settings, 33, 1, watching);
  expect_same_log(watched, play_games(settings, 1, 1, *hash));
  EXPECT_GT(active, rows / 2);  // the end, when lanes find no further game, included

  settings.games_end = INT64_MAX;
  settings.lanes = settings.total_lanes = 64;
  const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator(5));
  std::vector<MoveRecord> records;
  engine->run(2000, records);
  EXPECT_GT(engine->counters().evaluations, engine->counters().rows * 99 / 100);
}

TEST_P(SelfplayEngineTest, CountersCount) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.play.full_search_share = 1.0;
  settings.lanes = settings.total_lanes = 16;
  const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator(5));
  std::vector<MoveRecord> records;
  while (!engine->all_idle()) engine->run(100, records);
  const EngineCounters counters = engine->counters();
  std::int64_t searched = 0;
  for (const MoveRecord& record : records) searched += (record.flags & kFlagFull) != 0;
  EXPECT_EQ(counters.moves, static_cast<std::int64_t>(records.size()));
  EXPECT_EQ(counters.games, 40);
  EXPECT_LE(counters.simulations, searched * 12);      // a proven root ends a search early
  EXPECT_GT(counters.simulations, searched * 12 * 9 / 10);
  EXPECT_LE(counters.evaluations, counters.simulations + searched);
  EXPECT_EQ(counters.bad_outputs, 0);
}

// Otherwise the counts of an iteration would depend on whether the run was interrupted before it.
TEST_P(SelfplayEngineTest, SimulationsOfDroppedSearchesStayCounted) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.lanes = settings.total_lanes = 16;
  const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator(5));
  std::vector<MoveRecord> records;
  engine->run(20, records);
  const std::int64_t before = engine->counters().simulations;
  EXPECT_GT(before, 16);
  engine->restart_searches();
  engine->run(1, records);  // new roots are offered, and nothing is simulated yet
  EXPECT_EQ(engine->counters().simulations, before);
}

TEST_P(SelfplayEngineTest, OutputsThatAreNoNumbersAreCountedAndGamesGoOn) {
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = GetParam();
  settings.lanes = settings.total_lanes = 16;
  const auto engine = make_cpu_selfplay_engine(settings, std::make_unique<FunctionEvaluator>([](const EvaluationBatch&, int row, float* outputs) {
    std::fill_n(outputs, kOutputs, row % 2 == 0 ? NAN : 0.0f);
  }));
  std::vector<MoveRecord> records;
  while (!engine->all_idle()) engine->run(100, records);
  EXPECT_EQ(engine->counters().games, 40);
  EXPECT_GT(engine->counters().bad_outputs, 100);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SelfplayEngineTest, testing::Values(Algorithm::puct, Algorithm::gumbel),
                         [](const auto& parameter) { return parameter.param == Algorithm::puct ? std::string("Puct") : std::string("Gumbel"); });

TEST(SelfplayEngine, OpeningsDifferFromGameToGame) {
  SelfplayEngineSettings settings = small_settings();
  settings.rules = {parse_rules("abapa")};
  settings.rules_cycle = {0};
  settings.first_game = 0;
  settings.games_end = 300;
  const Log log = play_games(settings, 300, 1, *make_uniform_evaluator());
  std::map<std::uint64_t, std::string> openings;
  std::map<int, int> lengths;
  for (const auto& [key, record] : log) {
    if (record.ply < 8) openings[record.game] += static_cast<char>('A' + record.action);
    if ((record.flags & kFlagRandom) == 0 && (record.ply == 0 || (log.at({record.game, static_cast<std::uint16_t>(record.ply - 1)}).flags & kFlagRandom) != 0)) ++lengths[record.ply];
  }
  std::set<std::string> distinct;
  for (const auto& [game, line] : openings) distinct.insert(line);
  EXPECT_GT(distinct.size(), 290u);
  EXPECT_EQ(lengths.size(), 9u);  // 0 to 8 random plies, all of them drawn
}

TEST(SelfplayEngine, SettingsThatCannotWorkAreRefused) {
  SelfplayEngineSettings settings = small_settings();
  settings.rules[0].quiet_plies = 0;
  EXPECT_THROW(make_cpu_selfplay_engine(settings, make_uniform_evaluator()), Error);
  settings = small_settings();
  settings.rules_cycle = {9};
  EXPECT_THROW(make_cpu_selfplay_engine(settings, make_uniform_evaluator()), Error);
  settings = small_settings();
  settings.play.simulations = 40000;
  EXPECT_THROW(make_cpu_selfplay_engine(settings, make_uniform_evaluator()), Error);
  settings = small_settings();
  settings.lanes = settings.total_lanes = 4;
  const auto engine = make_cpu_selfplay_engine(settings, make_uniform_evaluator());
  EXPECT_THROW(engine->load(std::vector<LaneState>(3)), Error);
  std::vector<LaneState> states(4);
  states[0] = {5, 77, 0, {start_position(settings.rules[0])}};
  EXPECT_THROW(engine->load(states), Error);
}

TEST(SelfplayEngine, TheLogKeepsItsPromises) {
  // After noise_plies two games from one position would be the same; before, the noise parts them.
  SelfplayEngineSettings settings = small_settings();
  settings.search.algorithm = Algorithm::gumbel;
  settings.rules = {parse_rules("abapa")};
  settings.rules_cycle = {0};
  settings.play.opening_plies_max = 0;
  settings.play.noise_plies = 0;
  settings.play.full_search_share = 1.0;
  settings.games_end = 124;
  const Log log = play_games(settings, 4, 1, *make_hash_evaluator(5));
  for (const auto& [key, record] : log) {
    EXPECT_EQ(record.flags & kFlagNoise, 0);
    EXPECT_EQ(record.action, log.at({120, record.ply}).action);
  }
}

}  // namespace
}  // namespace wari
