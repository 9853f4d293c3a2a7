#include <nlohmann/json.hpp>

#include "core/notation.h"
#include "core/rules_files.h"
#include "selfplay/game_statistics.h"
#include "selfplay/record.h"
#include "selfplay/replay_game.h"

namespace wari {
namespace {

// Whole seeds as an integer, as the vectors have them; halves only where `award: split` made one.
nlohmann::ordered_json seeds(int half_seeds) {
  if (half_seeds % 2 == 0) return half_seeds / 2;
  return half_seeds / 2.0;
}

}  // namespace

std::string game_json(const GameRecord& record, const Rules& rules) {
  const Game game = resume_game(record, rules);
  int south_half = record.south_half_seeds;
  int north_half = record.north_half_seeds;
  if (ended_by_program(record.end)) {  // the format wants the stores of the last position then
    const Position& last = game.position();
    south_half = 2 * store_seeds(north_moves(last) ? last.opponent : last.mover);
    north_half = 2 * store_seeds(north_moves(last) ? last.mover : last.opponent);
  }
  nlohmann::ordered_json json;
  json["set"] = rules_name(rules);
  json["rules"] = rules_to_json(rules);
  json["start"] = position_text(record.start);
  json["moves"] = line_text(game);
  json["plies"] = record.length();
  json["stores"] = {seeds(south_half), seeds(north_half)};
  if (ended_by_program(record.end)) json["ended"] = end_name(record.end);
  return json.dump();
}

}  // namespace wari
