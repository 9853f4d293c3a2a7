#include "search/alphabeta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/notation.h"
#include "core/random.h"
#include "core/rules_files.h"
#include "search/alphabeta_path.h"

namespace wari {
namespace {

constexpr int kNoValue = -100000;

int final_difference(const Game& game) {
  const FinalStores stores = game.final_stores();
  const int difference = (stores.mover_half_seeds - stores.opponent_half_seeds) / 2;
  return difference > 0 ? difference + 1000 : difference < 0 ? difference - 1000 : 0;
}

// Plain minimax by playing and taking back: no bounds, no table, no ordering.
AlphaBetaResult minimax(Game& game, int depth) {
  AlphaBetaResult result;
  if (game.is_over()) {
    result.value = final_difference(game);
    return result;
  }
  if (depth == 0) {
    result.value = store_seeds(game.position().mover) - store_seeds(game.position().opponent);
    return result;
  }
  result.value = kNoValue;
  const bool north = north_moves(game.position());
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    game.play(action);
    const int below = minimax(game, depth - 1).value;
    const int value = north_moves(game.position()) == north ? below : -below;
    game.take_back();
    if (value > result.value) result.best.clear();
    result.value = std::max(result.value, value);
    if (value == result.value) result.best.push_back(action);
  }
  return result;
}

// A position with `seeds` on the board and the rest in the stores, by random drops.
Position random_position(const Rules& rules, int seeds, std::uint64_t number) {
  const auto draw = [&](std::uint32_t index, std::uint32_t count) {
    return static_cast<int>(random_below(random_bits(11, number, 0, Purpose::test, index), count));
  };
  Position position{0, Row{1} << kOwnerShift};
  for (int seed = 0; seed < seeds; ++seed) {
    const int pit = draw(static_cast<std::uint32_t>(seed), 12);
    (pit < kPits ? position.mover : position.opponent) += Row{1} << (8 * (pit % kPits));
  }
  const int stored = rules.total_seeds() - seeds;
  const int least = std::max(0, stored - rules.majority() + 1), most = std::min(stored, rules.majority() - 1);
  const int south = least + draw(1000, static_cast<std::uint32_t>(most - least + 1));
  position.mover += static_cast<Row>(south) << kStoreShift;
  position.opponent += static_cast<Row>(stored - south) << kStoreShift;
  if (draw(1001, 2) == 1) position = swap_sides(position);
  return position;
}

Rules random_rules(std::uint64_t number) {
  const auto draw = [&](std::uint32_t index, std::uint32_t count) {
    return static_cast<int>(random_below(random_bits(12, number, 0, Purpose::test, index), count));
  };
  Rules rules;
  rules.seeds_per_pit = static_cast<std::uint8_t>(1 + draw(0, 4));
  rules.capture = static_cast<Capture>(draw(1, 2));
  rules.grand_slam = static_cast<GrandSlam>(draw(2, 7));
  rules.laps = draw(3, 2) == 0 ? Laps::single : static_cast<Laps>(draw(4, 4));
  rules.no_feeding_move = static_cast<NoFeedingMove>(draw(5, 2));
  rules.repetition_occurrences = static_cast<std::uint8_t>(draw(6, 4) == 0 ? 0 : 2 + draw(7, 2));
  rules.repetition_award = static_cast<Award>(draw(8, 2));
  rules.quiet_plies = static_cast<std::uint16_t>(draw(9, 3) == 0 ? 1 + draw(10, 20) : 400);
  return rules;
}

std::vector<Rules> presets_and_mixes(int mixes) {
  std::vector<Rules> all;
  for (const auto& preset : rule_presets()) all.push_back(preset.second);
  for (int mix = 0; mix < mixes; ++mix) all.push_back(random_rules(static_cast<std::uint64_t>(mix)));
  return all;
}

void play_randomly(Game& game, int plies, std::uint64_t number) {
  for (int ply = 0; ply < plies && !game.is_over(); ++ply) {
    std::vector<int> actions;
    for (int action = 0; action < kActions; ++action) {
      if ((game.legal() >> action) & 1) actions.push_back(action);
    }
    game.play(actions[random_below(random_bits(13, number, static_cast<std::uint32_t>(ply), Purpose::test, 0), static_cast<std::uint32_t>(actions.size()))]);
  }
}

void expect_as_minimax(AlphaBeta& alphabeta, Game& game, int depth) {
  const AlphaBetaResult expected = minimax(game, depth);
  const AlphaBetaResult got = alphabeta.search(game, depth);
  EXPECT_EQ(got.value, expected.value) << rules_name(game.rules()) << ' ' << position_text(game.position()) << " depth " << depth << " after "
                                       << line_text(game);
  EXPECT_EQ(got.best, expected.best) << rules_name(game.rules()) << ' ' << position_text(game.position()) << " depth " << depth << " after " << line_text(game);
}

TEST(AlphaBeta, AgreesWithThePublishedVectors) {
  std::ifstream file(std::string(WARI_SOURCE_DIR) + "/tests/data/rules/alphabeta.jsonl");
  ASSERT_TRUE(file) << "tests/data/rules/alphabeta.jsonl is missing";
  AlphaBeta alphabeta;
  int checked = 0;
  for (std::string line; std::getline(file, line); ++checked) {
    const auto row = nlohmann::json::parse(line);
    const Rules rules = rules_from_json(row.at("rules"), "vectors");
    const Game game(rules, parse_position(row.at("position").get<std::string>(), rules));
    const AlphaBetaResult result = alphabeta.search(game, row.at("depth").get<int>());
    EXPECT_EQ(result.value, row.at("value").get<int>()) << line;
    std::set<std::string> best;
    for (int action : result.best) best.insert(move_text(game.position(), action));
    EXPECT_EQ(best, row.at("best").get<std::set<std::string>>()) << line;
  }
  EXPECT_EQ(checked, 72);
}

TEST(AlphaBeta, AgreesWithMinimaxFromRandomPositionsOfAllRules) {
  AlphaBeta alphabeta;
  std::uint64_t number = 0;
  for (const Rules& rules : presets_and_mixes(60)) {
    for (int i = 0; i < 4; ++i, ++number) {
      const int most = rules.total_seeds();
      const int seeds = 1 + static_cast<int>(random_below(random_bits(14, number, 0, Purpose::test, 0), static_cast<std::uint32_t>(most)));
      Game game(rules, random_position(rules, std::max(seeds, most - 2 * rules.majority() + 2), number));
      // From deep to shallow: what the table knows from a deeper look must not answer for a shallower one.
      for (int depth = rules.action_count() == 6 ? 5 : 4; depth >= 0; --depth) expect_as_minimax(alphabeta, game, depth);
    }
  }
}

// Few seeds, deep enough for cycles within the search and with the past of the game.
TEST(AlphaBeta, AgreesWithMinimaxWherePositionsRepeat) {
  int repetitions = 0, past_mattered = 0;
  for (int occurrences : {2, 3}) {
    for (Laps laps : {Laps::single, Laps::two, Laps::relay, Laps::relay_until_capture}) {
      for (Award award : {Award::own_rows, Award::split}) {
        Rules rules;
        rules.laps = laps;
        rules.repetition_occurrences = static_cast<std::uint8_t>(occurrences);
        rules.repetition_award = award;
        AlphaBeta alphabeta;
        for (std::uint64_t number = 0; number < 12; ++number) {
          Game game(rules, random_position(rules, 2 + static_cast<int>(number % 4), 1000 + number));
          for (int steps = 0; steps < 30 && !game.is_over(); ++steps) {
            if (steps % 6 == 0) {
              const int depth = laps == Laps::single ? 13 : 8;
              Game without_past(rules, game.position());
              expect_as_minimax(alphabeta, game, depth);
              past_mattered += alphabeta.search(game, depth).value != alphabeta.search(without_past, depth).value;
              expect_as_minimax(alphabeta, without_past, depth);  // the table still holds what was true with the past
            }
            play_randomly(game, 1, number * 100 + static_cast<std::uint64_t>(steps));
          }
          repetitions += game.end() == End::repetition;
        }
      }
    }
  }
  EXPECT_GT(repetitions, 5);
  EXPECT_GT(past_mattered, 5);
}

std::uint64_t signature_of(const Game& game, int depth) {
  const std::vector<Position> since_capture = game.since_capture();
  SearchPath path;
  path.reset(game.rules(), since_capture, depth);
  const int quiet = static_cast<int>(since_capture.size()) - 1;
  return path.signature(quiet, quiet, depth);
}

// Games that reach one position by different ways: where the signatures agree, so must the values, at every depth.
TEST(AlphaBeta, PastsOfEqualSignatureGiveEqualValues) {
  struct Seen {
    Game game;
    std::map<int, std::pair<std::uint64_t, int>> by_depth;  // signature and value
  };
  int past_mattered = 0, past_shared = 0;
  for (int setting = 0; setting < 8; ++setting) {
    Rules rules;
    rules.laps = static_cast<Laps>(setting % 4);
    rules.repetition_occurrences = static_cast<std::uint8_t>(setting < 4 ? 2 : 3);
    std::map<std::string, std::vector<Seen>> seen;
    const std::vector<int> depths = rules.laps == Laps::single ? std::vector<int>{1, 2, 3, 5, 8, 13, 14} : std::vector<int>{1, 2, 3, 4, 6};
    for (std::uint64_t number = 0; number < 30; ++number) {
      // Walks without captures between few seeds; the store difference is the same in all.
      Game game(rules, random_position(rules, 2 + static_cast<int>(number % 3), 7 + number % 3));
      for (int step = 0; step < 60 && !game.is_over(); ++step) {
        play_randomly(game, 1, 5000 + number * 64 + static_cast<std::uint64_t>(step));
        if (game.is_over()) break;
        auto& here = seen[position_text(game.position())];
        if (here.size() >= 6) continue;
        Seen now{game, {}};
        for (int depth : depths) now.by_depth[depth] = {signature_of(game, depth), minimax(game, depth).value};
        for (const Seen& other : here) {
          for (int depth : depths) {
            const auto [signature, value] = now.by_depth[depth];
            const auto [other_signature, other_value] = other.by_depth.at(depth);
            past_mattered += value != other_value;
            past_shared += signature == other_signature && game.quiet_plies() != other.game.quiet_plies();
            if (signature == other_signature) {
              EXPECT_EQ(value, other_value) << rules_name(rules) << ' ' << position_text(game.position()) << " depth " << depth << " after " << line_text(game)
                                            << " and " << line_text(other.game);
            }
          }
        }
        here.push_back(now);
      }
    }
  }
  EXPECT_GT(past_mattered, 100);
  EXPECT_GT(past_shared, 100);
}

TEST(AlphaBeta, QuietPliesOfTheGameCount) {
  AlphaBeta alphabeta;
  for (int limit = 1; limit <= 12; ++limit) {
    Rules rules;
    rules.quiet_plies = static_cast<std::uint16_t>(limit);
    for (std::uint64_t number = 0; number < 4; ++number) {
      Game game(rules, random_position(rules, 10, number));
      play_randomly(game, static_cast<int>(number) * 2, number);
      expect_as_minimax(alphabeta, game, 6);
    }
  }
}

// The table carries over from search to search; along whole games that must not show.
TEST(AlphaBeta, OneTableServesAWholeGame) {
  for (const auto& [name, rules] : rule_presets()) {
    AlphaBeta lasting(std::size_t{1} << 16);
    Game game(rules);
    for (int ply = 0; ply < 60 && !game.is_over(); ++ply) {
      const int depth = rules.action_count() == 6 ? 6 : 4;
      AlphaBeta fresh(std::size_t{1} << 16);
      const AlphaBetaResult a = lasting.search(game, depth), b = fresh.search(game, depth);
      ASSERT_EQ(a.value, b.value) << name << ' ' << line_text(game);
      ASSERT_EQ(a.best, b.best) << name << ' ' << line_text(game);
      game.play(a.best[random_below(random_bits(15, 0, static_cast<std::uint32_t>(ply), Purpose::test, 0), static_cast<std::uint32_t>(a.best.size()))]);
    }
  }
}

TEST(AlphaBeta, AFinishedGameHasItsValueAndNoMoves) {
  Rules rules;
  AlphaBeta alphabeta;
  const AlphaBetaResult lost = alphabeta.search(Game(rules, parse_position("1-1-1-1-1-1-1-1-1-1-1-1-11-25-S", rules)), 4);
  EXPECT_EQ(lost.value, -1014);
  EXPECT_TRUE(lost.best.empty());
  // South holds 22 seeds and the two left on the own side, and cannot feed.
  const AlphaBetaResult drawn = alphabeta.search(Game(rules, parse_position("1-1-0-0-0-0-0-0-0-0-0-0-22-24-S", rules)), 3);
  EXPECT_EQ(drawn.value, 0);
  EXPECT_TRUE(drawn.best.empty());
}

TEST(AlphaBeta, RefusesADepthItCannotLook) {
  AlphaBeta alphabeta;
  EXPECT_THROW(alphabeta.search(Game(Rules{}), -1), Error);
  EXPECT_THROW(alphabeta.search(Game(Rules{}), kAlphaBetaMaxDepth + 1), Error);
}

}  // namespace
}  // namespace wari
