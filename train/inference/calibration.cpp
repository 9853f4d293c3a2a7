#include "train/inference/calibration.h"

#include "core/game.h"
#include "core/random.h"

namespace wari {
namespace {

int choose_action(const Game& game, const std::uint8_t (&captures)[kPitTokens], std::uint64_t bits) {
  const bool greedy = bits & 1;
  int best = -1, best_captured = -1;
  int legal_left = static_cast<int>(random_below(mix64(bits), static_cast<std::uint32_t>(__builtin_popcount(game.legal()))));
  for (int action = 0; action < kActions; ++action) {
    if (!(game.legal() >> action & 1)) continue;
    const int captured = captures[action % kPits];
    if (greedy ? captured > best_captured : legal_left-- == 0) {
      best = action;
      best_captured = captured;
    }
  }
  return best;
}

// Appends the positions of one game until `end` tokens.
void play_game(const Rules& rules, std::uint64_t seed, std::uint64_t number, std::size_t end, std::vector<Token>& tokens) {
  Game game(rules);
  while (!game.is_over() && tokens.size() < end) {
    tokens.resize(tokens.size() + kTokens);
    Token* row = tokens.data() + tokens.size() - kTokens;
    encode_board(sowing_tables(), rules, game.position(), game.quiet_plies(), row);
    encode_rules(rules, row + kBoardTokens);
    std::uint8_t captures[kPitTokens];
    capture_preview(sowing_tables(), rules, game.position(), captures);
    game.play(choose_action(game, captures, random_bits(seed, number, static_cast<std::uint32_t>(game.plies()), Purpose::rollout, 0)));
  }
}

}  // namespace

std::vector<Token> calibration_positions(std::span<const Rules> rule_sets, int positions, std::uint64_t seed) {
  std::vector<Token> tokens;
  const std::size_t end = static_cast<std::size_t>(positions) * kTokens;
  tokens.reserve(end);
  for (std::uint64_t number = 0; tokens.size() < end; ++number) play_game(rule_sets[number % rule_sets.size()], seed, number, end, tokens);
  return tokens;
}

}  // namespace wari
