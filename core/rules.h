#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/position.h"

namespace wari {

enum class Capture : std::uint8_t { mandatory, optional };
enum class GrandSlam : std::uint8_t { captures_nothing, forbidden_unless_only, moves_again, forbidden, opponent_takes_rest, spares_last, spares_first };
enum class Laps : std::uint8_t { single, two, relay_until_capture, relay };
enum class NoFeedingMove : std::uint8_t { ends, plays_on };
enum class Award : std::uint8_t { own_rows, split };

// A rule set as data: lanes, games and files point to one of these (docs/rules.md says what every option means, docs/development.md how one is added).
struct Rules {
  std::uint8_t seeds_per_pit = 4;           // 1..6
  Capture capture = Capture::mandatory;
  GrandSlam grand_slam = GrandSlam::captures_nothing;
  Laps laps = Laps::single;
  NoFeedingMove no_feeding_move = NoFeedingMove::ends;
  std::uint8_t repetition_occurrences = 2;  // the k-th occurrence ends the game; 0: never; else 2..10
  Award repetition_award = Award::own_rows;
  std::uint16_t quiet_plies = 400;          // plies without a capture that end the game; 0: never; at most 10,000

  WARI_HD int total_seeds() const { return 12 * seeds_per_pit; }
  WARI_HD int majority() const { return 6 * seeds_per_pit + 1; }  // seeds in a store that win at once
  WARI_HD int action_count() const { return capture == Capture::optional ? 12 : 6; }
  bool operator==(const Rules&) const = default;
};

// The named rule sets in the order of the documentation; the first is the default.
const std::vector<std::pair<std::string, Rules>>& rule_presets();

// Reads `RULES` of the command line: a preset's name, optionally with changed options after commas ("warri,laps=two,repetition.occurrences=3"), or "@file.yaml".
// Throws Error naming the offending word and the nearest valid one.
Rules parse_rules(std::string_view text);

// The shortest text that parse_rules() reads back as the same rules: nearest preset's name plus changed options.
std::string rules_name(const Rules& rules);

// A 64-bit number that is equal exactly for equal rules on every build; stored in files and checkpoints.
std::uint64_t rules_hash(const Rules& rules);

}  // namespace wari
