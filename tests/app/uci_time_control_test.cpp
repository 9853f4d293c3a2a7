#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/uci/session.h"
#include "app/uci/time_control.h"
#include "core/notation.h"

// How long to think, by a clock that only the test moves; and once by a real one.
namespace wari {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

UciGo clock_of(milliseconds left, milliseconds increment, int moves_to_go = 0) {
  UciGo go;
  go.south.left = left;
  go.south.increment = increment;
  go.moves_to_go = moves_to_go;
  return go;
}

// Plays moves against the clock with batches of this length, each move a little late on its way; returns the least that was left, and counts the moves that saw a batch.
struct Played {
  milliseconds least{1'000'000};
  int with_search = 0;
  milliseconds thought{0};
};

Played play(milliseconds left, milliseconds increment, milliseconds batch, int moves, milliseconds on_the_way = 3ms) {
  Played played;
  UciLateness lateness;
  for (int move = 0; move < moves; ++move) {
    const milliseconds wanted = *think_time(clock_of(left, increment), false, {20ms, lateness.estimate(), lateness.worst()}).think;
    milliseconds used = 0ms;
    while (used < wanted) used += batch;  // a batch is never broken off
    if (wanted > 0ms) {
      lateness.add(used - wanted);
      ++played.with_search;
    }
    left -= used + on_the_way;
    played.thought += used;
    played.least = std::min(played.least, left);
    left += increment;
  }
  return played;
}

TEST(UciTimeControl, TheClockIsNeverOverrun) {
  for (const milliseconds batch : {1ms, 5ms, 20ms, 60ms, 200ms, 300ms}) {
    for (const milliseconds increment : {0ms, 10ms, 50ms, 200ms, 1000ms}) {
      const Played played = play(1000ms, increment, batch, 200, increment > 0ms ? 3ms : 0ms);
      EXPECT_GT(played.least, 0ms) << batch.count() << " ms a batch, " << increment.count() << " ms a move";
    }
  }
}

TEST(UciTimeControl, SlowBatchesLoseNoGameAtOneSecondAndAFiftieth) {
  const Played played = play(1000ms, 50ms, 200ms, 200);
  EXPECT_GT(played.least, 300ms);
  EXPECT_GT(played.with_search, 30);  // a batch whenever the increments have paid for it
}

TEST(UciTimeControl, MostOfTheTimeIsUsed) {
  const Played played = play(1000ms, 50ms, 2ms, 60);
  EXPECT_GT(played.thought, milliseconds((1000 + 60 * 50) * 8 / 10));
  EXPECT_GT(played.least, 100ms);
}

TEST(UciTimeControl, MovesToGoShareTheClock) {
  const UciDelays delays;
  EXPECT_GT(*think_time(clock_of(10'000ms, 0ms, 1), false, delays).think, 9'000ms);
  EXPECT_LT(*think_time(clock_of(10'000ms, 0ms, 1), false, delays).think, 10'000ms);
  EXPECT_NEAR(static_cast<double>(think_time(clock_of(10'000ms, 0ms, 10), false, delays).think->count()), 1'000, 50);
  EXPECT_LT(*think_time(clock_of(10'000ms, 5'000ms, 2), false, delays).think, 5'100ms);  // never more than half, except for the last
}

TEST(UciTimeControl, ClocksBelongToSides) {
  UciGo go = clock_of(1'000ms, 0ms);
  EXPECT_TRUE(think_time(go, false, {}).think);
  EXPECT_FALSE(think_time(go, true, {}).think);
  go.north.increment = 100ms;
  EXPECT_FALSE(think_time(go, true, {}).think) << "an increment is no clock";
  go.north.left = 60'000ms;
  EXPECT_GT(*think_time(go, true, {}).think, 1'000ms);
}

TEST(UciTimeControl, AMovetimeIsKeptAndIsNoBudget) {
  UciGo go;
  go.movetime = 500ms;
  const UciTime time = think_time(go, false, {20ms, 10ms, 400ms});
  EXPECT_EQ(*time.think, 470ms);
  EXPECT_FALSE(time.is_budget);
  go.movetime = 5ms;
  EXPECT_EQ(*think_time(go, false, {20ms, 10ms, 400ms}).think, 1ms);
  go.movetime = 500ms;
  go.south.left = 1'000ms;
  EXPECT_LT(*think_time(go, false, {}).think, 100ms);
  EXPECT_TRUE(think_time(go, false, {}).is_budget);
}

TEST(UciTimeControl, AnEmptyClockAsksForAMoveAtOnce) {
  EXPECT_EQ(*think_time(clock_of(0ms, 0ms), false, {}).think, 0ms);
  EXPECT_EQ(*think_time(clock_of(15ms, 0ms), false, {}).think, 0ms);
  EXPECT_EQ(*think_time(clock_of(150ms, 0ms), false, {20ms, 200ms, 200ms}).think, 0ms);
}

// Judges as random games do, but takes a fifth of a second for each batch.
class SlowEvaluator final : public Evaluator {
 public:
  bool needs_tokens() const override { return random_games_->needs_tokens(); }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    std::this_thread::sleep_for(milliseconds(200));
    random_games_->evaluate(batch, outputs);
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<SlowEvaluator>(); }

 private:
  std::unique_ptr<Evaluator> random_games_ = make_rollout_evaluator(1);
};

TEST(UciTimeControl, ASlowNetworkLosesNoGameOnTime) {
  std::mutex mutex;
  std::condition_variable changed;
  std::string best;
  UciSession session({}, "wari test", 1,
                     {[](const EngineSettings& settings) {
                        Engine engine;
                        engine.settings = settings;
                        engine.rules = *settings.rules;
                        ThinkerSettings thinker;
                        thinker.search.algorithm = Algorithm::puct;
                        thinker.nodes_max = 10'000;
                        engine.thinker = make_thinker(thinker, SlowEvaluator());
                        return engine;
                      },
                      [&](const std::string& line) {
                        if (!line.starts_with("bestmove")) return;
                        const std::lock_guard lock(mutex);
                        best = line;
                        changed.notify_all();
                      },
                      {}});
  Game game{Rules{}};
  milliseconds left(1000);
  int searched = 0;
  for (int move = 0; move < 25 && !game.is_over(); ++move) {
    const auto start = std::chrono::steady_clock::now();
    session.line("position startpos" + (game.plies() > 0 ? " moves " + line_text(game) : ""));
    session.line("go wtime " + std::to_string(left.count()) + " winc 50 btime 1 binc 50");
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(5), [&] { return !best.empty(); }));
    const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
    left -= took;
    ASSERT_GT(left.count(), 0) << "move " << move;
    searched += took.count() >= 200;
    left += milliseconds(50);
    game.play(parse_move(game, best.substr(9, 1)));
    best.clear();
    if (!game.is_over()) game.play(std::countr_zero(game.legal()));
  }
  EXPECT_GE(searched, 3);
  session.end_of_input();
  session.wait_until_over();
}

TEST(UciLateness, OneHiccupIsForgiven) {
  UciLateness lateness;
  EXPECT_EQ(lateness.estimate(), 0ms);
  for (int i = 0; i < 8; ++i) lateness.add(3ms);
  lateness.add(400ms);
  EXPECT_EQ(lateness.estimate(), 3ms);
  lateness.add(200ms);
  EXPECT_EQ(lateness.estimate(), 200ms);
  EXPECT_EQ(lateness.worst(), 400ms);
  for (int i = 0; i < 8; ++i) lateness.add(-5ms);
  EXPECT_EQ(lateness.estimate(), 0ms);
  EXPECT_EQ(lateness.worst(), 400ms);
}

// A machine that stops for a third of a second now and then.
TEST(UciTimeControl, HiccupsOfTheMachineAreReckonedWith) {
  UciLateness lateness;
  milliseconds left = 1000ms, least = left;
  for (int move = 0; move < 300; ++move) {
    const milliseconds wanted = *think_time(clock_of(left, 50ms), false, {20ms, lateness.estimate(), lateness.worst()}).think;
    const milliseconds late = move % 29 == 7 ? 330ms : 2ms;
    lateness.add(late);
    left -= wanted + late;
    least = std::min(least, left);
    left += 50ms;
  }
  EXPECT_GT(least, 50ms);
}

}  // namespace
}  // namespace wari
