#include "selfplay/replay_game.h"

#include <fmt/core.h>

#include "core/error.h"
#include "selfplay/record.h"

namespace wari {
namespace {

std::string check_policy(const PlyRecord& ply, std::uint16_t legal) {
  int sum = 0;
  for (int action = 0; action < kActions; ++action) {
    if (ply.policy[action] != 0 && !(legal >> action & 1)) return fmt::format("its policy holds the illegal action {}", action);
    sum += ply.policy[action];
  }
  if (sum != 0 && sum != 65535) return fmt::format("its policy sums to {} of 65535", sum);
  return {};
}

std::string check_end(const GameRecord& record, const Game& game) {
  const int total = record.south_half_seeds + record.north_half_seeds;
  if (total > 2 * game.rules().total_seeds() || record.south_half_seeds < 0 || record.north_half_seeds < 0) return "its final stores are impossible";
  if (ended_by_program(record.end)) return game.is_over() ? "the program ended it though it was over by the rules" : "";
  if (!game.is_over() || record.end == End::none) return "it is not over after its last move";
  if (game.end() != record.end) return fmt::format("it ended by {} and not by {}", static_cast<int>(game.end()), static_cast<int>(record.end));
  const FinalStores stores = game.final_stores();
  const bool north = north_moves(game.position());
  const int south_half = north ? stores.opponent_half_seeds : stores.mover_half_seeds;
  const int north_half = north ? stores.mover_half_seeds : stores.opponent_half_seeds;
  if (south_half != record.south_half_seeds || north_half != record.north_half_seeds) {
    return fmt::format("its final stores are {} : {} half seeds and not {} : {}", south_half, north_half, record.south_half_seeds, record.north_half_seeds);
  }
  return {};
}

bool start_fits(const Position& start, const Rules& rules) {
  if (is_north(start.mover) == is_north(start.opponent)) return false;
  int seeds = store_seeds(start.mover) + store_seeds(start.opponent);
  for (int pit = 0; pit < kPits; ++pit) seeds += pit_seeds(start.mover, pit) + pit_seeds(start.opponent, pit);
  return seeds == rules.total_seeds() && (start.mover >> kOwnerShift) < 2 && (start.opponent >> kOwnerShift) < 2;
}

}  // namespace

std::string replay_game(const GameRecord& record, const Rules& rules, std::vector<ReplayedPly>& plies) {
  plies.clear();
  if (record.plies.empty()) return fmt::format("game {}: it has no move", record.game);
  if (!start_fits(record.start, rules)) return fmt::format("game {}: its start does not fit the rule set", record.game);
  Game game(rules, record.start);
  for (int i = 0; i < record.length(); ++i) {
    const PlyRecord& ply = record.plies[static_cast<std::size_t>(i)];
    if (game.is_over()) return fmt::format("game {}, ply {}: the game was over before", record.game, i);
    if (ply.action >= kActions || !(game.legal() >> ply.action & 1)) return fmt::format("game {}, ply {}: action {} is illegal", record.game, i, ply.action);
    if (std::string wrong = check_policy(ply, game.legal()); !wrong.empty()) return fmt::format("game {}, ply {}: {}", record.game, i, wrong);
    plies.push_back({game.position(), game.legal(), static_cast<std::uint16_t>(game.quiet_plies())});
    game.play(ply.action);
  }
  const std::string wrong = check_end(record, game);
  return wrong.empty() ? wrong : fmt::format("game {}: {}", record.game, wrong);
}

Game resume_game(const GameRecord& record, const Rules& rules) {
  if (!start_fits(record.start, rules)) throw Error(fmt::format("game {}: its start does not fit the rule set", record.game));
  Game game(rules, record.start);
  for (const PlyRecord& ply : record.plies) {
    if (game.is_over() || ply.action >= kActions || !(game.legal() >> ply.action & 1)) throw Error(fmt::format("game {}: action {} is illegal at ply {}", record.game, ply.action, game.plies()));
    game.play(ply.action);
  }
  return game;
}

std::string verify_game(const GameRecord& game, const Rules& rules) {
  std::vector<ReplayedPly> plies;
  return replay_game(game, rules, plies);
}

}  // namespace wari
