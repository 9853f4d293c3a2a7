#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/error.h"
#include "core/notation.h"
#include "search/evaluator.h"
#include "tests/core/rule_mixes.h"
#include "tests/search/one_search.h"

namespace wari {
namespace {

// Live positions of several rule sets as one batch.
struct Rows {
  std::vector<Rules> rules = many_rule_sets(5);
  std::vector<Position> positions;
  std::vector<std::uint16_t> quiet_plies;
  std::vector<std::uint8_t> rules_index, active;

  explicit Rows(int count) {
    for (std::uint64_t number = 0; static_cast<int>(positions.size()) < count; ++number) {
      const std::size_t index = number % rules.size();
      const Position position = random_position(rules[index], number);
      if (status(sowing_tables(), rules[index], position).end != End::none) continue;
      positions.push_back(position);
      quiet_plies.push_back(0);
      rules_index.push_back(static_cast<std::uint8_t>(index));
      active.push_back(1);
    }
  }

  EvaluationBatch batch(int first, int count) const {
    EvaluationBatch batch;
    batch.rows = count;
    batch.positions = positions.data() + first;
    batch.quiet_plies = quiet_plies.data() + first;
    batch.rules_index = rules_index.data() + first;
    batch.rules = rules;
    batch.active = active.data() + first;
    return batch;
  }
};

TEST(Evaluators, ARowsAnswerDoesNotDependOnTheBatch) {
  const Rows rows(100);
  for (const auto& evaluator : {make_hash_evaluator(3).release(), make_uniform_evaluator().release(), make_rollout_evaluator(3).release()}) {
    const std::unique_ptr<Evaluator> owned(evaluator), copy = owned->clone();
    std::vector<float> all(100 * kOutputs), one(kOutputs);
    owned->evaluate(rows.batch(0, 100), all.data());
    for (int row = 99; row >= 0; --row) {
      copy->evaluate(rows.batch(row, 1), one.data());
      for (int i = 0; i < kOutputs; ++i) ASSERT_EQ(one[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(row * kOutputs + i)]);
    }
  }
}

TEST(Evaluators, HashOutputsAreSpreadAndDependOnTheSeed) {
  const Rows rows(1000);
  std::vector<float> outputs(1000 * kOutputs), others(1000 * kOutputs);
  make_hash_evaluator(1)->evaluate(rows.batch(0, 1000), outputs.data());
  make_hash_evaluator(2)->evaluate(rows.batch(0, 1000), others.data());
  EXPECT_NE(outputs, others);
  for (int i = 0; i < kOutputs; ++i) {
    const float range = i == kMarginOutput ? 1.0f : 2.0f;
    double sum = 0, squares = 0;
    std::set<float> distinct;
    for (int row = 0; row < 1000; ++row) {
      const float x = outputs[static_cast<std::size_t>(row * kOutputs + i)] / range;
      ASSERT_TRUE(x >= -1 && x <= 1);
      sum += x;
      squares += x * x;
      distinct.insert(x);
    }
    EXPECT_NEAR(sum / 1000, 0, 0.07) << i;
    EXPECT_NEAR(squares / 1000, 1.0 / 3, 0.05) << i;
    EXPECT_GT(distinct.size(), 900u);
  }
}

TEST(Evaluators, RolloutsTellAWonGameFromALostOne) {
  const Rules rules;
  const auto evaluator = make_rollout_evaluator(7);
  // One seed short of a majority with the board full of the mover's seeds, and the opposite.
  for (const auto& [text, win] : {std::pair{"4-4-4-1-0-0-0-0-0-0-1-0-24-10-S", true}, std::pair{"4-4-4-1-0-0-0-0-0-0-1-0-24-10-N", false}}) {
    const Position position = parse_position(text, rules);
    const std::uint16_t quiet = 0;
    const std::uint8_t zero = 0, one = 1;
    EvaluationBatch batch;
    batch.rows = 1;
    batch.positions = &position;
    batch.quiet_plies = &quiet;
    batch.rules_index = &zero;
    batch.rules = {&rules, 1};
    batch.active = &one;
    float outputs[kOutputs];
    evaluator->evaluate(batch, outputs);
    EXPECT_GT(outputs[kWdlOutput + (win ? 0 : 2)], 5.0f) << text;
    EXPECT_EQ(outputs[kWdlOutput + (win ? 2 : 0)], 0.0f);
    EXPECT_TRUE(win ? outputs[kMarginOutput] > 0 : outputs[kMarginOutput] < 0);
  }
}

TEST(Evaluators, RolloutsEndUnderEveryRuleSet) {
  const Rows rows(500);
  std::vector<float> outputs(500 * kOutputs);
  make_rollout_evaluator(1)->evaluate(rows.batch(0, 500), outputs.data());
  for (const float output : outputs) ASSERT_TRUE(std::isfinite(output));
}

TEST(Evaluators, TheCheckerFindsADifferenceInAnActiveRowOnly) {
  Rows rows(10);
  std::vector<float> outputs(10 * kOutputs);
  const auto off_by_a_little = [] {
    return std::make_unique<FunctionEvaluator>([](const EvaluationBatch& batch, int row, float* out) {
      std::fill_n(out, kOutputs, 0.0f);
      if (batch.quiet_plies[row] == 9) out[4] = 0.01f;
    });
  };
  const auto strict = make_checking_evaluator(make_uniform_evaluator(), off_by_a_little(), 0.001f);
  EXPECT_NO_THROW(strict->evaluate(rows.batch(0, 10), outputs.data()));
  rows.quiet_plies[3] = 9;
  try {
    strict->clone()->evaluate(rows.batch(0, 10), outputs.data());
    ADD_FAILURE() << "the difference went unseen";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(position_text(rows.positions[3])), std::string::npos);
    EXPECT_EQ(error.kind(), ErrorKind::check_failed);
  }
  EXPECT_NO_THROW(make_checking_evaluator(make_uniform_evaluator(), off_by_a_little(), 0.1f)->evaluate(rows.batch(0, 10), outputs.data()));
  rows.active[3] = 0;
  EXPECT_NO_THROW(strict->evaluate(rows.batch(0, 10), outputs.data()));
}

}  // namespace
}  // namespace wari
