#include "core/game_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/rules_files.h"

namespace wari {
namespace {

// Whole seeds as an integer, as the vectors have them; halves only where `award: split` made one.
nlohmann::ordered_json seeds(int half_seeds) {
  if (half_seeds % 2 == 0) return half_seeds / 2;
  return half_seeds / 2.0;
}

void check(const NamedGame& game, const nlohmann::json& json, const std::string& place) {
  const SideStores stores = side_stores(game.game);
  const auto written = json.at("stores").get<std::vector<double>>();
  const auto fail = [&place](const std::string& what, const std::string& right) { throw Error(fmt::format("wrong {}: {}: {}", what, place, right)); };
  if (!json.at("plies").is_number_integer() || json.at("plies").get<std::int64_t>() != game.game.plies()) fail(fmt::format("plies '{}'", json.at("plies").dump()), fmt::format("the line has {} moves", game.game.plies()));
  if (written.size() != 2 || 2 * written[0] != stores.south_half_seeds || 2 * written[1] != stores.north_half_seeds)
    fail(fmt::format("stores '{}'", json.at("stores").dump()), fmt::format("the moves lead to [{:g},{:g}]", stores.south_half_seeds / 2.0, stores.north_half_seeds / 2.0));
  if (game.ended.empty() && !game.game.is_over()) fail("end", "the game goes on after its last move; say \"ended\": \"limit\" where a program stopped it");
  if (!game.ended.empty() && game.game.is_over()) fail(fmt::format("end {}", quote(game.ended)), "the rules ended this game");
  if (!game.ended.empty() && game.ended != "table" && game.ended != "resigned" && game.ended != "limit")
    fail(fmt::format("end {}", quote(game.ended)), suggestion(game.ended, {"table", "resigned", "limit"}));
}

}  // namespace

nlohmann::ordered_json game_to_json(const NamedGame& game) {
  const SideStores stores = side_stores(game.game);
  nlohmann::ordered_json json;
  json["set"] = game.set;
  json["rules"] = rules_to_json(game.game.rules());
  json["start"] = position_text(game.game.start());
  json["moves"] = line_text(game.game);
  json["plies"] = game.game.plies();
  json["stores"] = {seeds(stores.south_half_seeds), seeds(stores.north_half_seeds)};
  if (!game.ended.empty()) json["ended"] = game.ended;
  return json;
}

NamedGame game_from_json(std::string_view line, const std::string& place) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    const Rules rules = rules_from_json(json.at("rules"), place);
    NamedGame game{Game(rules), json.value("set", ""), json.value("ended", "")};
    try {
      game.game = Game(rules, parse_position(json.at("start").get<std::string>(), rules));
      play_line(game.game, json.at("moves").get<std::string>());
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", place, error.what()));
    }
    check(game, json, place);
    return game;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a game as a JSON object: {}: see docs/rules.md for the format\n{}", place, error.what()));
  }
}

}  // namespace wari
