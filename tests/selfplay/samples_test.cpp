#include "selfplay/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <numeric>

#include "core/notation.h"
#include "search/move_log.h"
#include "selfplay/record.h"
#include "tests/endgame/small_tables.h"
#include "tests/selfplay/fake_games.h"

namespace wari {
namespace {

using test::fake_games;

// The layout is what files and the trainer share: a moved field would be learned from silently.
static_assert(offsetof(Sample, policy) == 16 && offsetof(Sample, quiet_plies) == 40 && offsetof(Sample, margin_half_seeds) == 46 && offsetof(Sample, legal) == 52 &&
              offsetof(Sample, outcome) == 54 && offsetof(Sample, rules_index) == 55 && offsetof(Sample, flags) == 56);

std::vector<Sample> samples_of(const GameRecord& game, const Rules& rules, bool value_only = true) {
  std::vector<Sample> samples;
  EXPECT_EQ(append_samples(game, rules, 3, value_only, samples), "");
  return samples;
}

// Labels at every ply of whole games, for both seats, against the game's own final stores.
TEST(Samples, EveryLabelIsTheMoversOwnResult) {
  for (const char* name : {"abapa", "warri", "awari", "awale", "relay", "short", "zillions", "abapa,seeds_per_pit=1"}) {
    const Rules rules = parse_rules(name);
    int seats[2][3] = {};
    for (const GameRecord& record : fake_games(rules, 0, 60)) {
      Game game(rules);
      for (const PlyRecord& ply : record.plies) game.play(ply.action);
      const FinalStores stores = game.final_stores();
      const bool north_last = north_moves(game.position());
      const int south = north_last ? stores.opponent_half_seeds : stores.mover_half_seeds;
      const int north = north_last ? stores.mover_half_seeds : stores.opponent_half_seeds;
      for (const Sample& sample : samples_of(record, rules)) {
        const bool is_north = north_moves(sample.position);
        const int margin = is_north ? north - south : south - north;
        EXPECT_EQ(sample.margin_half_seeds, margin);
        EXPECT_EQ(sample.outcome, margin > 0 ? 0 : margin < 0 ? 2 : 1);
        EXPECT_EQ(sample.rules_index, 3);
        ++seats[is_north][sample.outcome];
      }
    }
    for (const auto& seat : seats) EXPECT_GT(seat[0] * seat[2], 0) << name << ": both seats win and lose";
  }
}

// With a table: from the last exact position backwards, the game's own result only behind it.
TEST(Samples, ATableCorrectsTheLabelsBeforeWhatItKnows) {
  for (const char* name : {"abapa", "warri", "awale"}) {
    const Rules rules = parse_rules(name);
    const EndgameTables tables = small_tables(rules, 9);
    const EndgameView view = endgame_view(tables, rules);
    int corrected = 0;
    for (const GameRecord& record : fake_games(rules, 0, 40)) {
      const std::vector<Sample> plain = samples_of(record, rules);
      std::vector<Sample> samples;
      EXPECT_EQ(append_samples(record, rules, 3, true, samples, view), "");
      ASSERT_EQ(samples.size(), plain.size());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        const bool known = view.holds(samples[i].position) && view.value(samples[i].position).exact && samples[i].quiet_plies + kEndgameQuietPlies <= rules.quiet_plies;
        if (known) {
          const int stores = store_seeds(samples[i].position.mover) - store_seeds(samples[i].position.opponent);
          EXPECT_EQ(samples[i].margin_half_seeds, 2 * (stores + view.value(samples[i].position).seeds));
        } else if (i + 1 < samples.size()) {
          const bool same_side = north_moves(samples[i].position) == north_moves(samples[i + 1].position);
          EXPECT_EQ(samples[i].margin_half_seeds, same_side ? samples[i + 1].margin_half_seeds : -samples[i + 1].margin_half_seeds);
        }
        EXPECT_EQ(samples[i].outcome, samples[i].margin_half_seeds > 0 ? 0 : samples[i].margin_half_seeds < 0 ? 2 : 1);
        corrected += samples[i].outcome != plain[i].outcome;
        EXPECT_EQ(samples[i].plies_left, plain[i].plies_left);
      }
    }
    EXPECT_GT(corrected, 50) << name;
  }
}

TEST(Samples, ADrawIsADrawForBoth) {
  const Rules rules = parse_rules("abapa,seeds_per_pit=1");
  int draws[2] = {};
  for (const GameRecord& record : fake_games(rules, 0, 300)) {
    if (record.south_half_seeds != record.north_half_seeds) continue;
    for (const Sample& sample : samples_of(record, rules)) {
      EXPECT_EQ(sample.outcome, 1);
      EXPECT_EQ(sample.margin_half_seeds, 0);
      ++draws[north_moves(sample.position)];
    }
  }
  EXPECT_GT(draws[0], 0);
  EXPECT_GT(draws[1], 0);
}

// Under `moves_again` a player moves twice: the label follows the player, not the parity of the ply.
TEST(Samples, TwoMovesInARowOfOnePlayerCarryTheSameLabel) {
  const Rules rules = parse_rules("warri,seeds_per_pit=2");
  int twice = 0;
  for (const GameRecord& record : fake_games(rules, 0, 2000)) {
    const std::vector<Sample> samples = samples_of(record, rules);
    for (std::size_t i = 1; i < samples.size(); ++i) {
      const bool same = north_moves(samples[i - 1].position) == north_moves(samples[i].position);
      twice += same;
      EXPECT_EQ(samples[i].margin_half_seeds, same ? samples[i - 1].margin_half_seeds : -samples[i - 1].margin_half_seeds);
    }
  }
  EXPECT_GT(twice, 0);
}

TEST(Samples, HoldWhatTheSearchSaidAndWhatReplayingShows) {
  const Rules rules;
  for (const std::uint64_t number : {0, 1, 2, 5}) {
    const std::vector<MoveRecord> log = test::fake_log(rules, number);
    const GameRecord record = test::fake_game(rules, static_cast<std::int64_t>(number));
    const std::vector<Sample> samples = samples_of(record, rules);
    const std::size_t random_plies = number % 3;
    ASSERT_EQ(samples.size(), log.size() - random_plies) << "one sample a ply but the random opening";
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const MoveRecord& move = log[i + random_plies];
      EXPECT_TRUE(samples[i].position == move.position);
      EXPECT_EQ(std::memcmp(samples[i].policy, move.policy, sizeof move.policy), 0);
      EXPECT_EQ(samples[i].quiet_plies, move.quiet_plies);
      EXPECT_EQ(samples[i].ply, move.ply);
      EXPECT_EQ(samples[i].plies_left, log.size() - move.ply);
      EXPECT_EQ(samples[i].root_value, move.root_value);
      EXPECT_EQ(samples[i].surprise, move.surprise);
      EXPECT_EQ(samples[i].flags, move.flags);
      EXPECT_EQ(samples[i].legal, legal_actions(sowing_tables(), rules, move.position));
      EXPECT_TRUE(samples[i].legal >> move.action & 1);
    }
    EXPECT_EQ(samples.back().plies_left, 1) << "the last ply is a sample; the position after it is none";
  }
}

TEST(Samples, WithoutValueOnlyEverySampleHasAPolicy) {
  const Rules rules;
  const GameRecord record = test::fake_game(rules, 0);
  const std::vector<Sample> all = samples_of(record, rules), with_policy = samples_of(record, rules, false);
  EXPECT_LT(with_policy.size(), all.size());
  for (const Sample& sample : with_policy) EXPECT_EQ(std::accumulate(std::begin(sample.policy), std::end(sample.policy), 0), 65535);
}

TEST(Samples, AreCopiesThatLaterGamesLeaveAlone) {
  const Rules rules;
  std::vector<Sample> samples;
  GameRecord record = test::fake_game(rules, 8);
  append_samples(record, rules, 0, true, samples);
  const std::vector<Sample> before = samples;
  record.plies[5].policy[0] = 1;
  record.start.mover = 0;
  append_samples(test::fake_game(rules, 9), rules, 0, true, samples);
  EXPECT_EQ(std::memcmp(samples.data(), before.data(), before.size() * sizeof(Sample)), 0);
}

TEST(Samples, AGameThatBreaksTheRulesGivesNone) {
  const Rules rules;
  std::vector<Sample> samples;
  GameRecord record = test::fake_game(rules, 8);
  record.plies[7].action = 10;
  EXPECT_THAT(append_samples(record, rules, 0, true, samples), testing::HasSubstr("ply 7"));
  EXPECT_TRUE(samples.empty());
}

}  // namespace
}  // namespace wari
