#include "app/server/think_json.h"

#include "app/server/board_json.h"
#include "core/notation.h"

namespace wari {
namespace {

using Json = nlohmann::ordered_json;

Json actions_json(const Game& game, const RootResult& root) {
  Json moves = Json::array();
  for (const RootAction& action : root.actions) {
    const bool known = action.visits > 0 || action.proven;
    moves.push_back({{"move", move_text(game.position(), action.action)},
                     {"pit", board_pit(game.position(), action.action)},
                     {"declined", action.action >= kPits},
                     {"visits", action.visits},
                     {"prior", action.prior},
                     {"policy", action.policy},
                     {"value", known ? Json(action.value) : Json(nullptr)},
                     {"proven", action.proven}});
  }
  return moves;
}

// Seeds from here on, where the table holds the position and the rules leave enough time for it.
Json table_json(const Game& game, const Engine& engine) {
  if (game.is_over() || !engine.table) return nullptr;
  const EndgameView view = endgame_view({engine.table}, game.rules());
  if (view.values == nullptr || !view.holds(game.position()) || !endgame_time_left(game.rules(), game.quiet_plies())) return nullptr;
  const EndgameValue value = view.value(game.position());
  Json moves = Json::array();
  for (const EndgameMove& move : endgame_moves(*engine.table, game.position()))
    moves.push_back({{"move", move_text(game.position(), move.action)}, {"value", move.seeds}, {"exact", move.exact}});
  return {{"seeds", engine.table->seeds()}, {"value", value.seeds}, {"exact", value.exact}, {"moves", moves}};
}

}  // namespace

Json think_json(const Game& game, const ThoughtOf& found, const std::optional<NamedCheckpoint>& checkpoint) {
  const Thought& thought = found.thought;
  const RootResult& root = thought.root;
  Json json = {{"position", position_text(game.position())}, {"rules", rules_name(game.rules())}, {"checkpoint", checkpoint ? Json(checkpoint->name) : Json(nullptr)}};
  json["best"] = root.best < 0 ? Json(nullptr) : Json(move_text(game.position(), root.best));
  json["value"] = root.value;
  json["wdl"] = {root.wdl[0], root.wdl[1], root.wdl[2]};
  json["margin"] = root.margin;
  json["proven"] = root.proven;
  json["line"] = move_texts(game, root.line);
  json["visits"] = root.simulations;
  json["simulations"] = thought.simulations;
  json["nodes"] = thought.nodes;
  json["seconds"] = thought.seconds;
  json["simulations_per_second"] = thought.seconds > 0 ? Json(static_cast<double>(thought.simulations) / thought.seconds) : Json(nullptr);
  json["moves"] = actions_json(game, root);
  json["table"] = table_json(game, *found.engine);
  return json;
}

}  // namespace wari
