#include "selfplay/replay_game.h"

#include <fmt/core.h>

#include "core/error.h"
#include "core/repetition.h"
#include "selfplay/game_statistics.h"
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

// The state of a replayed game: what `Game` keeps, without a heap allocation a ply.
struct Replayed {
  const Rules& rules;
  std::vector<Position> positions;   // of the whole game, the present one last
  std::uint16_t legal;
  int quiet_plies = 0;
  End end;

  Replayed(const Rules& r, const GameRecord& record) : rules(r) {
    positions.reserve(record.plies.size() + 1);
    positions.push_back(record.start);
    const Status status_at_start = status(sowing_tables(), rules, record.start);
    legal = status_at_start.legal;
    end = status_at_start.end;
  }

  void advance(int action) {
    const Move move = play(sowing_tables(), rules, positions.back(), action);
    quiet_plies = move.captured > 0 ? 0 : quiet_plies + 1;
    positions.push_back(move.position);
    end = move.end;
    const int history = quiet_plies + 1;
    if (end == End::none) end = end_by_history(rules, positions.data() + positions.size() - static_cast<std::size_t>(history), history);
    legal = end == End::none ? move.legal : std::uint16_t{0};
  }
};

std::string check_end(const GameRecord& record, const Replayed& game) {
  const int total = record.south_half_seeds + record.north_half_seeds;
  if (total > 2 * game.rules.total_seeds() || record.south_half_seeds < 0 || record.north_half_seeds < 0) return "its final stores are impossible";
  if (record.end == End::table && total != 2 * game.rules.total_seeds()) return "a table ended it, but its final stores are not all seeds";
  if (ended_by_program(record.end)) return game.end != End::none ? "the program ended it though it was over by the rules" : "";
  if (game.end == End::none || record.end == End::none) return "it is not over after its last move";
  if (game.end != record.end) return fmt::format("it ended by {} and not by {}", end_name(game.end), end_name(record.end));
  const Position& last = game.positions.back();
  const FinalStores stores = final_stores(game.rules, last, game.end);
  const int south_half = north_moves(last) ? stores.opponent_half_seeds : stores.mover_half_seeds;
  const int north_half = north_moves(last) ? stores.mover_half_seeds : stores.opponent_half_seeds;
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
  Replayed game(rules, record);
  for (int i = 0; i < record.length(); ++i) {
    const PlyRecord& ply = record.plies[static_cast<std::size_t>(i)];
    if (game.end != End::none) return fmt::format("game {}, ply {}: the game was over before", record.game, i);
    if (ply.action >= kActions || !(game.legal >> ply.action & 1)) return fmt::format("game {}, ply {}: action {} is illegal", record.game, i, ply.action);
    if (std::string wrong = check_policy(ply, game.legal); !wrong.empty()) return fmt::format("game {}, ply {}: {}", record.game, i, wrong);
    plies.push_back({game.positions.back(), game.legal, static_cast<std::uint16_t>(game.quiet_plies)});
    game.advance(ply.action);
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
