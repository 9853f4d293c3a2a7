#pragma once

#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "selfplay/sample.h"

namespace wari {

// Positions of random games under `rules` with random targets of every kind: policies over the legal actions (none for every fifth sample), all outcomes, half seeds.
inline std::vector<Sample> random_samples(const Rules& rules, int count, std::uint64_t seed, std::uint8_t rules_index = 0) {
  std::vector<Sample> samples;
  for (std::uint64_t number = 0; static_cast<int>(samples.size()) < count; ++number) {
    Game game(rules);
    while (!game.is_over() && static_cast<int>(samples.size()) < count) {
      const auto ply = static_cast<std::uint32_t>(game.plies());
      const auto draw = [&](std::uint32_t index, std::uint32_t below) { return random_below(random_bits(seed, number, ply, Purpose::test, index), below); };
      std::vector<int> legal;
      for (int action = 0; action < kActions; ++action) {
        if ((game.legal() >> action & 1) != 0) legal.push_back(action);
      }
      Sample sample{};
      sample.position = game.position();
      sample.quiet_plies = static_cast<std::uint16_t>(game.quiet_plies());
      sample.ply = static_cast<std::uint16_t>(ply);
      sample.legal = game.legal();
      sample.rules_index = rules_index;
      sample.outcome = static_cast<std::uint8_t>(draw(0, 3));
      sample.margin_half_seeds = static_cast<std::int16_t>(static_cast<int>(draw(1, 97)) - 48);
      sample.root_value = static_cast<std::int16_t>(static_cast<int>(draw(2, 60001)) - 30000);
      sample.plies_left = static_cast<std::uint16_t>(draw(3, 200));
      if (draw(4, 5) != 0) {
        std::uint32_t rest = 65535;
        for (const int action : legal) {
          const std::uint32_t share = action == legal.back() ? rest : draw(5 + static_cast<std::uint32_t>(action), rest + 1);
          sample.policy[action] = static_cast<std::uint16_t>(share);
          rest -= share;
        }
      }
      samples.push_back(sample);
      game.play(legal[draw(40, static_cast<std::uint32_t>(legal.size()))]);
    }
  }
  return samples;
}

}  // namespace wari
