#pragma once

#include "core/moves.h"
#include "core/tokens.h"

// Bodies of core/tokens.h.
namespace wari {

// 0..15: sixteenths of the limit that have passed; always 0 where there is no limit.
WARI_HD inline int quiet_bucket(const Rules& rules, int quiet_plies) {
  if (rules.quiet_plies == 0) return 0;
  const int bucket = quiet_plies * kQuietRange / rules.quiet_plies;
  return bucket < kQuietRange ? bucket : kQuietRange - 1;
}

// 0: no limit; else one more than the limit's binary logarithm, rounded down (at most 14 for 10,000).
WARI_HD inline int quiet_limit_bucket(int quiet_plies_limit) {
  int bucket = 0;
  for (int rest = quiet_plies_limit; rest > 0; rest /= 2) ++bucket;
  return bucket < 15 ? bucket : 15;
}

WARI_HD inline void encode_board(const SowingTables& tables, const Rules& rules, Position position, int quiet_plies, Token* tokens) {
  for (int pit = 0; pit < kPitTokens; ++pit) {
    const int seeds = pit < kPits ? pit_seeds(position.mover, pit) : pit_seeds(position.opponent, pit - kPits);
    tokens[pit] = static_cast<Token>(kPitOffset + pit * kPitRange + (seeds < kPitRange ? seeds : kPitRange - 1));
  }
  tokens[kPitTokens] = static_cast<Token>(kStoreOffset + store_seeds(position.mover));
  tokens[kPitTokens + 1] = static_cast<Token>(kStoreOffset + kStoreRange + store_seeds(position.opponent));
  tokens[kPitTokens + kStoreTokens] = static_cast<Token>(kQuietOffset + quiet_bucket(rules, quiet_plies));
  Token* captures = tokens + kPitTokens + kStoreTokens + 1;  // as capture_preview(), without a local array that device code would keep in memory
  const Position turned = swap_sides(position);
  for (int pit = 0; pit < kPits; ++pit) {
    captures[pit] = static_cast<Token>(kCaptureOffset + pit * kCaptureRange + preview_pit(tables, rules, position, pit));
    captures[kPits + pit] = static_cast<Token>(kCaptureOffset + (kPits + pit) * kCaptureRange + preview_pit(tables, rules, turned, pit));
  }
}

WARI_HD inline void encode_rules(const Rules& rules, Token* tokens) {
  const int values[kRuleTokens] = {rules.seeds_per_pit,
                                   static_cast<int>(rules.capture),
                                   static_cast<int>(rules.grand_slam),
                                   static_cast<int>(rules.laps),
                                   static_cast<int>(rules.no_feeding_move),
                                   rules.repetition_occurrences,
                                   static_cast<int>(rules.repetition_award),
                                   quiet_limit_bucket(rules.quiet_plies)};
  const int ranges[kRuleTokens] = {7, 2, 7, 4, 2, 11, 2, 16};  // kRuleRanges: device code cannot read a host array
  int offset = kRuleOffset;
  for (int place = 0; place < kRuleTokens; ++place) {
    tokens[place] = static_cast<Token>(offset + values[place]);
    offset += ranges[place];
  }
}

}  // namespace wari
