#include "selfplay/samples.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "search/move_log.h"
#include "selfplay/replay_game.h"

namespace wari {
namespace {

// 0 win, 1 draw, 2 loss of the player whose final stores are better by `margin`.
std::uint8_t outcome_of(int margin) { return margin > 0 ? 0 : margin == 0 ? 1 : 2; }

// South's final margin in half seeds as the positions of a game learn it, [plies].
std::vector<int> south_margins(const GameRecord& game, const Rules& rules, const std::vector<ReplayedPly>& plies, const EndgameView& table) {
  std::vector<int> margins(plies.size());
  int margin = game.south_half_seeds - game.north_half_seeds;
  for (std::size_t ply = plies.size(); ply-- > 0;) {
    const Position& position = plies[ply].position;
    if (endgame_time_left(rules, plies[ply].quiet_plies) && table.holds(position)) {
      const EndgameValue value = table.value(position);
      const int mine = 2 * (store_seeds(position.mover) - store_seeds(position.opponent) + value.seeds);
      if (value.exact) margin = north_moves(position) ? -mine : mine;
    }
    margins[ply] = margin;
  }
  return margins;
}

Sample make_sample(const GameRecord& game, int ply, const ReplayedPly& before, int south_margin) {
  const PlyRecord& record = game.plies[static_cast<std::size_t>(ply)];
  Sample sample{};
  sample.position = before.position;
  std::memcpy(sample.policy, record.policy, sizeof sample.policy);
  sample.quiet_plies = before.quiet_plies;
  sample.ply = static_cast<std::uint16_t>(std::min(ply, 65535));
  sample.plies_left = static_cast<std::uint16_t>(std::min(game.length() - ply, 65535));
  // The owner of the row that moves, not the parity of the ply: under `moves_again` the same player can move twice.
  const int margin = north_moves(before.position) ? -south_margin : south_margin;
  sample.margin_half_seeds = static_cast<std::int16_t>(margin);
  sample.outcome = outcome_of(margin);
  sample.root_value = record.root_value;
  sample.surprise = record.surprise;
  sample.legal = before.legal;
  sample.flags = record.flags;
  return sample;
}

bool has_policy(const Sample& sample) {
  return std::any_of(std::begin(sample.policy), std::end(sample.policy), [](std::uint16_t share) { return share != 0; });
}

}  // namespace

std::string append_samples(const GameRecord& game, const Rules& rules, std::uint8_t rules_index, bool value_only, std::vector<Sample>& samples, const EndgameView& table) {
  std::vector<ReplayedPly> plies;
  if (std::string wrong = replay_game(game, rules, plies); !wrong.empty()) return wrong;
  const std::vector<int> margins = south_margins(game, rules, plies, table);
  for (int ply = 0; ply < game.length(); ++ply) {
    if (game.plies[static_cast<std::size_t>(ply)].flags & kFlagRandom) continue;
    Sample sample = make_sample(game, ply, plies[static_cast<std::size_t>(ply)], margins[static_cast<std::size_t>(ply)]);
    sample.rules_index = rules_index;
    if (value_only || has_policy(sample)) samples.push_back(sample);
  }
  return {};
}

}  // namespace wari
