#pragma once

#include <cstdint>

#include "core/moves.h"

// The network's input: integers, all from the mover's side. One encoder serves self-play, trainer, engine and export. The layout carries a version that files store.
namespace wari {

inline constexpr int kTokenVersion = 1;

using Token = std::uint16_t;  // a row of the embedding table, already offset: 0 <= token < kVocabulary

// A position is kTokens tokens; each place has its own range of rows, so the first layer is the sum of kTokens rows of the table.
// Places 0..11: seeds in pit i (mover's six, then opponent's six), clamped to 31. 12, 13: stores, mover and opponent (0..72).
// 14: bucket of quiet plies as a share of the rule's limit. 15..26: captures (capture_preview), 0..30, 31 empty pit.
inline constexpr int kPitTokens = 12, kPitRange = 32;
inline constexpr int kStoreTokens = 2, kStoreRange = 73;
inline constexpr int kQuietRange = 16;
inline constexpr int kCaptureTokens = 12, kCaptureRange = 32;
// 27..34: the rule set: seeds per pit, capture, grand slam, laps, no feeding move, repetition occurrences, award, quiet plies limit. Constant in a game.
inline constexpr int kRuleTokens = 8;
inline constexpr int kBoardTokens = kPitTokens + kStoreTokens + 1 + kCaptureTokens;  // 27: these change from position to position
inline constexpr int kTokens = kBoardTokens + kRuleTokens;                            // 35

inline constexpr int kPitOffset = 0;
inline constexpr int kStoreOffset = kPitOffset + kPitTokens * kPitRange;
inline constexpr int kQuietOffset = kStoreOffset + kStoreTokens * kStoreRange;
inline constexpr int kCaptureOffset = kQuietOffset + kQuietRange;
inline constexpr int kRuleOffset = kCaptureOffset + kCaptureTokens * kCaptureRange;
inline constexpr int kRuleRanges[kRuleTokens] = {7, 2, 7, 4, 2, 11, 2, 16};
inline constexpr int kVocabulary = kRuleOffset + 7 + 2 + 7 + 4 + 2 + 11 + 2 + 16;  // rows of the embedding table

// Writes the kBoardTokens tokens of a position. `quiet_plies`: plies since the last capture.
WARI_HD inline void encode_board(const SowingTables& tables, const Rules& rules, Position position, int quiet_plies, Token* tokens /* [kBoardTokens] */);
// Writes the kRuleTokens tokens of a rule set.
WARI_HD inline void encode_rules(const Rules& rules, Token* tokens /* [kRuleTokens] */);

}  // namespace wari

#include "core/tokens_inline.h"
