#include "core/move_steps.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/game.h"
#include "core/notation.h"
#include "core/rules_files.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

using Kind = MoveStep::Kind;
using Store = MoveStep::Store;

// A board of counters that knows no rules: what a page has.
struct Board {
  std::array<int, 12> pits{};
  std::array<int, 2> half_stores{};  // South's, North's
  int hand = 0;

  explicit Board(const Position& position) {
    for (const Row row : {position.mover, position.opponent}) {
      const int side = is_north(row) ? 1 : 0;
      for (int pit = 0; pit < kPits; ++pit) pits[static_cast<std::size_t>(6 * side + pit)] = pit_seeds(row, pit);
      half_stores[static_cast<std::size_t>(side)] = 2 * store_seeds(row);
    }
  }

  void apply(const MoveStep& step) {
    ASSERT_LT(step.pit, 12);
    int& pit = pits[step.pit];
    if (step.kind == Kind::sow) {
      ASSERT_EQ(step.seeds, 1);
      ASSERT_GT(hand, 0);
      --hand;
      ++pit;
      return;
    }
    ASSERT_EQ(hand, 0) << "seeds of the lap before are still in the hand";
    ASSERT_GT(pit, 0);
    ASSERT_EQ(step.seeds, pit);
    if (step.kind == Kind::lift) hand = pit;
    if (step.to == Store::both) half_stores = {half_stores[0] + pit, half_stores[1] + pit};
    if (step.to == Store::south) half_stores[0] += 2 * pit;
    if (step.to == Store::north) half_stores[1] += 2 * pit;
    ASSERT_EQ(step.kind == Kind::lift, step.to == Store::none);
    pit = 0;
  }

  void apply(const std::vector<MoveStep>& steps) {
    for (const MoveStep& step : steps) {
      apply(step);
      if (testing::Test::HasFatalFailure()) return;
    }
    ASSERT_EQ(hand, 0);
  }

  bool operator==(const Board&) const = default;
};

void expect_steps_of_all_moves(const Rules& rules, const Position& position, std::uint16_t legal) {
  for (int action = 0; action < kActions; ++action) {
    if (((legal >> action) & 1) == 0) continue;
    const Move move = play(sowing_tables(), rules, position, action);
    Board board(position);
    board.apply(move_steps(rules, position, action));
    ASSERT_TRUE(board == Board(move.position)) << rules_name(rules) << " " << position_text(position) << " " << move_text(position, action);
  }
}

void expect_sweep(const Game& game) {
  Board board(game.position());
  for (const MoveStep& step : sweep_steps(game.rules(), game.position(), game.end())) ASSERT_EQ(step.kind, Kind::sweep);
  board.apply(sweep_steps(game.rules(), game.position(), game.end()));
  const FinalStores stores = game.final_stores();
  const bool north = north_moves(game.position());
  ASSERT_EQ(board.half_stores[north ? 1 : 0], stores.mover_half_seeds) << rules_name(game.rules()) << " " << position_text(game.position());
  ASSERT_EQ(board.half_stores[north ? 0 : 1], stores.opponent_half_seeds) << rules_name(game.rules()) << " " << position_text(game.position());
}

TEST(MoveSteps, GiveThePositionsOfAllVectors) {
  std::ifstream file(std::string(WARI_SOURCE_DIR) + "/tests/data/rules/moves.jsonl");
  int moves = 0;
  for (std::string line; std::getline(file, line);) {
    const auto vector = nlohmann::json::parse(line);
    const Rules rules = rules_from_json(vector.at("rules"), "vector");
    const Position position = parse_position(vector.at("position").get<std::string>(), rules);
    const Game game(rules, position);
    for (const auto& after : vector.value("after", nlohmann::json::array())) {
      const int action = parse_move(game, after.at("move").get<std::string>());
      Board board(position);
      board.apply(move_steps(rules, position, action));
      if (!after.at("position").is_null()) {
        ASSERT_TRUE(board == Board(parse_position(after.at("position").get<std::string>(), rules))) << line;
      }
      ++moves;
    }
    if (game.is_over()) expect_sweep(game);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(moves, 2500);
}

TEST(MoveSteps, GiveThePositionsAndStoresOfAllRecordedGames) {
  std::ifstream file(std::string(WARI_SOURCE_DIR) + "/tests/data/rules/games.jsonl");
  int games = 0;
  for (std::string line; std::getline(file, line); ++games) {
    const auto vector = nlohmann::json::parse(line);
    const Rules rules = rules_from_json(vector.at("rules"), "vector");
    Game game(rules, parse_position(vector.at("start").get<std::string>(), rules));
    Board board(game.position());
    Game played = game;
    play_line(played, vector.at("moves").get<std::string>());
    for (const std::uint8_t action : played.actions()) {
      board.apply(move_steps(rules, game.position(), action));
      game.play(action);
    }
    board.apply(sweep_steps(rules, game.position(), game.end()));
    if (HasFatalFailure()) return;
    for (std::size_t side = 0; side < 2; ++side) ASSERT_EQ(board.half_stores[side], 2 * vector.at("stores").at(side).get<double>()) << line;
  }
  EXPECT_GT(games, 150);
}

TEST(MoveSteps, FitPlayInRandomGamesOfAllRuleSetsAndMixes) {
  std::uint64_t number = 0;
  std::set<End> ends;
  for (const Rules& rules : many_rule_sets(60)) {
    for (int repeat = 0; repeat < 3; ++repeat, ++number) {
      Game game(rules);
      for (std::uint32_t ply = 0; !game.is_over(); ++ply) {
        expect_steps_of_all_moves(rules, game.position(), game.legal());
        if (HasFatalFailure()) return;
        std::vector<int> actions;
        for (int action = 0; action < kActions; ++action) {
          if ((game.legal() >> action) & 1) actions.push_back(action);
        }
        game.play(actions[test_draw(number, ply, static_cast<std::uint32_t>(actions.size()))]);
      }
      ends.insert(game.end());
      expect_sweep(game);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(ends.contains(End::majority) && ends.contains(End::no_move) && ends.contains(End::repetition)) << "the games must cover the usual ends";
}

TEST(MoveSteps, OfADeclinedCaptureEndAfterTheSowing) {
  const Rules rules = parse_rules("awale");
  const Position position = parse_position("0-0-0-0-0-1-2-1-0-0-0-5-20-19-S", rules);
  const std::vector<MoveStep> captured = move_steps(rules, position, 5);
  const std::vector<MoveStep> declined = move_steps(rules, position, 5 + kPits);
  EXPECT_EQ(captured.back(), (MoveStep{Kind::capture, 6, 3, Store::south}));
  EXPECT_EQ(declined, (std::vector<MoveStep>{{Kind::lift, 5, 1}, {Kind::sow, 6, 1}}));
}

TEST(MoveSteps, CaptureFromTheLastSeedBack) {
  const Rules rules;
  const std::vector<MoveStep> steps = move_steps(rules, parse_position("0-0-0-0-0-2-1-2-4-0-0-0-20-19-S", rules), 5);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[3], (MoveStep{Kind::capture, 7, 3, Store::south}));
  EXPECT_EQ(steps[4], (MoveStep{Kind::capture, 6, 2, Store::south}));
}

TEST(MoveSteps, TheLapOfARelayBeginsWhereTheLastSeedFell) {
  const Rules rules = parse_rules("relay");
  const std::vector<MoveStep> steps = move_steps(rules, start_position(rules), 0);
  std::vector<int> lifted;
  int last = -1;
  for (const MoveStep& step : steps) {
    if (step.kind == Kind::lift) {
      EXPECT_EQ(step.pit, lifted.empty() ? 0 : last);
      lifted.push_back(step.pit);
    }
    last = step.pit;
  }
  EXPECT_GE(lifted.size(), 2u);
}

}  // namespace
}  // namespace wari
