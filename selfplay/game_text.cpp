#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/game_json.h"
#include "core/ogn.h"
#include "core/rules.h"
#include "search/move_log.h"
#include "selfplay/game_statistics.h"
#include "selfplay/record.h"
#include "selfplay/replay_game.h"

// Games as text: JSON lines and OGN.
namespace wari {
namespace {

std::string ended_by(const GameRecord& record) { return ended_by_program(record.end) ? end_name(record.end) : ""; }

}  // namespace

std::string game_json(const GameRecord& record, const Rules& rules) { return game_to_json({resume_game(record, rules), rules_name(rules), ended_by(record)}).dump(); }

std::string record_ogn(const GameRecord& record, const Rules& rules, const std::string& run_id) {
  OgnGame game(resume_game(record, rules));
  game.set_tag("Event", run_id);
  game.set_tag("Round", std::to_string(record.game + 1));
  game.set_tag("South", "wari");
  game.set_tag("North", "wari");
  game.ended = ended_by(record);
  if (!game.ended.empty()) game.result = fmt::format("{:g}-{:g}", record.south_half_seeds / 2.0, record.north_half_seeds / 2.0);
  for (int ply = 0; ply < record.length(); ++ply) {
    const PlyRecord& played = record.plies[static_cast<std::size_t>(ply)];
    if (played.flags & kFlagFull) game.note(ply).comment = fmt::format("{:+.3f}", played.root_value / 32767.0);
  }
  return ogn_text(game);
}

}  // namespace wari
