#include "endgame/level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "endgame/numbering.h"
#include "endgame/predecessors.h"
#include "tests/core/rule_mixes.h"
#include "tests/endgame/endgame_rule_sets.h"

namespace wari {
namespace {

const EndgameNumbering& numbering = endgame_numbering();

EndgameValues solved(const Rules& rules, int seeds, int workers = 1) {
  EndgameValues values;
  for (int level = 0; level <= seeds; ++level) EXPECT_TRUE(solve_level({rules, level, workers}, values));
  return values;
}

// The same values by going forwards until nothing changes, level by level: what each side can force within 1, 2, 3, ... plies.
class ForwardSolver {
 public:
  ForwardSolver(const Rules& rules, int seeds) : moves_(rules) {
    for (int level = 0; level <= seeds; ++level) solve(level);
  }
  std::vector<int> split, low, high;

 private:
  struct Step {
    bool quiet;
    bool again;
    int gain;             // captured; of a move that ends the game: its value
    std::uint32_t next;
    bool ends;
  };

  std::vector<Step> steps(std::uint32_t number) const {
    std::vector<Step> found;
    const Position board = numbered_board(numbering, number);
    for (int action = 0; action < kActions; ++action) {
      if (((legal_actions(sowing_tables(), moves_.rules, board) >> action) & 1) == 0) continue;
      const Move move = play(sowing_tables(), moves_.rules, board, action);
      Step step{move.captured == 0, move.mover_again, move.captured, board_number(numbering, move.position), false};
      if (move.end == End::slam || move.end == End::slam_rest) {
        const FinalStores stores = final_stores(moves_.rules, move.position, move.end);
        step.gain = (stores.opponent_half_seeds - stores.mover_half_seeds) / 2;
        step.ends = true;
      }
      found.push_back(step);
    }
    return found;
  }

  static int worth(const Step& step, const std::vector<int>& same, const std::vector<int>& other) {
    return step.ends ? step.gain : step.gain + (step.again ? same[step.next] : -other[step.next]);
  }

  void solve(int level) {
    const std::uint32_t first = first_board(numbering, level), end = first_board(numbering, level + 1);
    std::vector<int> win(end, 0), lose(end, 0);  // what the mover, and what the opponent can force
    split.resize(end, 0);
    low.resize(end, -level);
    high.resize(end, level);
    std::vector<std::vector<Step>> all;
    for (std::uint32_t number = first; number < end; ++number) all.push_back(steps(number));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t number = first; number < end; ++number) {
        const std::vector<Step>& next = all[number - first];
        const Position board = numbered_board(numbering, number);
        int least = -100, most = -100, best_win = 0, best_lose = level;
        if (next.empty()) {
          least = most = row_seeds(board.mover) - row_seeds(board.opponent);
          best_win = std::max(0, least);
          best_lose = std::max(0, -least);
        }
        for (const Step& step : next) {
          most = std::max(most, worth(step, high, low));
          least = std::max(least, worth(step, low, high));
          const int value = step.quiet ? 0 : worth(step, split, split);
          best_win = std::max(best_win, step.quiet ? lose[step.next] : value);
          best_lose = std::min(best_lose, step.quiet ? win[step.next] : std::max(0, -value));
        }
        const std::array<int, 4> now{least, most, best_win, best_lose};
        const std::array<int*, 4> places{&low[number], &high[number], &win[number], &lose[number]};
        for (std::size_t i = 0; i < 4; ++i) {
          changed = changed || *places[i] != now[i];
          *places[i] = now[i];
        }
      }
    }
    for (std::uint32_t number = first; number < end; ++number) split[number] = win[number] - lose[number];
  }

  EndgameMoves moves_;
};

TEST(Level, AgreesWithGoingForwardsUnderEveryRule) {
  const int seeds = shared_out(100) < 100 ? 4 : 6;
  for (const Rules& rules : endgame_rule_sets()) {
    const EndgameValues values = solved(rules, seeds);
    const ForwardSolver expected(rules, seeds);
    EXPECT_TRUE(std::equal(values.split.begin(), values.split.end(), expected.split.begin(), expected.split.end())) << rules_name(rules);
    EXPECT_TRUE(std::equal(values.low.begin(), values.low.end(), expected.low.begin(), expected.low.end())) << rules_name(rules);
    EXPECT_TRUE(std::equal(values.high.begin(), values.high.end(), expected.high.begin(), expected.high.end())) << rules_name(rules);
  }
}

struct Counts {
  int win, draw, loss;
  bool operator==(const Counts&) const = default;
};

Counts counts(const EndgameValues& values, int seeds) {
  Counts counts{};
  for (std::uint32_t number = first_board(numbering, seeds); number < first_board(numbering, seeds + 1); ++number) {
    const int value = values.split[number];
    ++(value > 0 ? counts.win : value == 0 ? counts.draw : counts.loss);
  }
  return counts;
}

TEST(Level, CountsAreThePublishedOnes) {
  const EndgameValues abapa = solved(Rules{}, 7);
  const std::vector<Counts> expected{{5, 0, 7}, {24, 13, 41}, {121, 64, 179}, {577, 143, 645}, {2161, 0, 2207}, {5707, 1545, 5124}, {14944, 4483, 12397}};
  for (int seeds = 1; seeds <= 7; ++seeds) EXPECT_EQ(counts(abapa, seeds), expected[static_cast<std::size_t>(seeds - 1)]) << seeds;
  Rules awari;  // Romein and Bal 2002
  awari.grand_slam = GrandSlam::forbidden_unless_only;
  const EndgameValues values = solved(awari, 8);
  EXPECT_EQ(counts(values, 4), (Counts{580, 143, 642}));
  EXPECT_EQ(counts(values, 8), (Counts{37767, 8351, 29464}));
}

TEST(Level, DependsNeitherOnWorkersNorOnTheirOrder) {
  const int seeds = shared_out(100) < 100 ? 7 : 10;
  for (const char* name : {"abapa", "warri", "awale"}) {
    Rules rules = parse_rules(name);
    const EndgameValues one = solved(rules, seeds, 1), four = solved(rules, seeds, 4);
    EXPECT_EQ(one.split, four.split) << name;
    EXPECT_EQ(one.low, four.low) << name;
    EXPECT_EQ(one.high, four.high) << name;
  }
}

TEST(Level, BoundsHoldTheSplitValueBetweenThem) {
  const EndgameValues values = solved(parse_rules("warri"), 8);
  for (std::size_t number = 0; number < values.split.size(); ++number) {
    ASSERT_LE(values.low[number], values.split[number]);
    ASSERT_GE(values.high[number], values.split[number]);
  }
}

TEST(Level, StoppedInTheMiddleLeavesTheValuesAsTheyWere) {
  EndgameValues values = solved(Rules{}, 7);
  const EndgameValues before = values;
  for (int calls : {1, 2, 10, 100}) {
    int left = calls;
    EXPECT_FALSE(solve_level({Rules{}, 8, 2}, values, [&](std::uint64_t) { return --left > 0; }));
    EXPECT_EQ(values.split, before.split);
    EXPECT_EQ(values.high, before.high);
  }
  EXPECT_TRUE(solve_level({Rules{}, 8, 2}, values));
  EXPECT_EQ(counts(values, 8), (Counts{37806, 8333, 29443}));
}

}  // namespace
}  // namespace wari
