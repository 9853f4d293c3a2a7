#pragma once

#include <cstdint>

#include "core/sowing.h"
#include "core/tokens.h"
#include "train/sample_targets.h"

// A batch as an optimiser step with LibTorch takes it: two matrices with a row a sample, filled by the same functions on the CPU and in a kernel.
namespace wari {

inline constexpr int kLegalColumn = kTokens;  // integers: tokens, legal actions (0 or 1), margin class, outcome
inline constexpr int kClassColumn = kLegalColumn + kActions;
inline constexpr int kOutcomeColumn = kClassColumn + 1;
inline constexpr int kBatchIntegers = kOutcomeColumn + 1;
inline constexpr int kWdlColumn = kActions;  // numbers: policy target, win/draw/loss target, margin, plies left, 1 where there is a policy target
inline constexpr int kMarginColumn = kWdlColumn + 3;
inline constexpr int kPliesColumn = kMarginColumn + 1;
inline constexpr int kHasPolicyColumn = kPliesColumn + 1;
inline constexpr int kBatchNumbers = kHasPolicyColumn + 1;

WARI_HD inline void encode_sample(const SowingTables& sowing, const Rules& rules, float root_value_share, const Sample& sample, Token* integers /* [kBatchIntegers] */,
                                  float* numbers /* [kBatchNumbers] */) {
  encode_board(sowing, rules, sample.position, sample.quiet_plies, integers);
  encode_rules(rules, integers + kBoardTokens);
  for (int action = 0; action < kActions; ++action) {
    integers[kLegalColumn + action] = static_cast<Token>(sample.legal >> action & 1);
    numbers[action] = static_cast<float>(sample.policy[action]) / 65535.0f;
  }
  integers[kClassColumn] = static_cast<Token>(margin_class(sample));
  integers[kOutcomeColumn] = sample.outcome;
  value_target(root_value_share, sample, numbers + kWdlColumn);
  numbers[kMarginColumn] = margin_target(sample, rules.total_seeds());
  numbers[kPliesColumn] = plies_left_target(sample);
  numbers[kHasPolicyColumn] = has_policy_target(sample) ? 1.0f : 0.0f;
}

// One row of a batch from a window of samples.
struct GatherStep {
  const SowingTables* sowing;   // [1]
  const Rules* rules;           // [rule sets]
  const Sample* samples;        // [places of the window]
  const std::uint32_t* places;  // [rows], each row's sample
  float root_value_share;
  Token* integers;              // [rows, kBatchIntegers]
  float* numbers;               // [rows, kBatchNumbers]

  WARI_HD void operator()(int row) const {
    const Sample& sample = samples[places[row]];
    encode_sample(*sowing, rules[sample.rules_index], root_value_share, sample, integers + static_cast<std::int64_t>(row) * kBatchIntegers, numbers + static_cast<std::int64_t>(row) * kBatchNumbers);
  }
};

}  // namespace wari
