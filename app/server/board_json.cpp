#include "app/server/board_json.h"

#include <algorithm>

#include "core/notation.h"
#include "core/repetition.h"
#include "selfplay/game_statistics.h"

namespace wari {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kCirclingPlies = 40;  // without a capture: the players may be going round

Json pits_json(const Position& position) {
  const bool north = north_moves(position);
  Json pits = Json::array();
  for (int pit = 0; pit < 12; ++pit) pits.push_back(pit_seeds((pit >= kPits) == north ? position.mover : position.opponent, pit % kPits));
  return pits;
}

int earlier_occurrences(const Game& game) {
  const std::vector<Position> positions = game.since_capture();
  return static_cast<int>(std::count(positions.begin(), positions.end(), positions.back())) - 1;
}

Json move_json(const Rules& rules, const Position& position, int action, const Move& move) {
  return {{"move", move_text(position, action)},
          {"pit", board_pit(position, action)},
          {"declined", action >= kPits},
          {"captured", move.captured},
          {"steps", steps_json(move_steps(rules, position, action))},
          {"after", position_text(move.position)}};
}

Json legal_json(const Game& game) {
  Json moves = Json::array();
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    moves.push_back(move_json(game.rules(), game.position(), action, play(sowing_tables(), game.rules(), game.position(), action)));
  }
  return moves;
}

Json plies_json(const Game& game, int from) {
  Json plies = Json::array();
  Game replayed(game.rules(), game.start());
  for (const std::uint8_t action : game.actions()) {
    const Position before = replayed.position();
    const int number = replayed.plies();
    replayed.play(action);
    if (number < from) continue;
    Json ply = move_json(game.rules(), before, action, play(sowing_tables(), game.rules(), before, action));
    ply["mover"] = side_name(north_moves(before));
    plies.push_back(std::move(ply));
  }
  return plies;
}

}  // namespace

const char* side_name(bool north) { return north ? "N" : "S"; }

Json seeds_json(int half_seeds) {
  if (half_seeds % 2 == 0) return half_seeds / 2;
  return half_seeds / 2.0;
}

Json winner_json(int south_half_seeds, int north_half_seeds) {
  if (south_half_seeds == north_half_seeds) return nullptr;
  return side_name(north_half_seeds > south_half_seeds);
}

Json steps_json(const std::vector<MoveStep>& steps) {
  constexpr const char* kStores[] = {"", "S", "N", "both"};
  Json list = Json::array();
  for (const MoveStep& step : steps) {
    const char* const to = kStores[static_cast<std::size_t>(step.to)];
    switch (step.kind) {
      case MoveStep::Kind::lift: list.push_back({{"lift", step.pit}, {"seeds", step.seeds}}); break;
      case MoveStep::Kind::sow: list.push_back({{"sow", step.pit}}); break;
      case MoveStep::Kind::capture: list.push_back({{"capture", step.pit}, {"seeds", step.seeds}, {"to", to}}); break;
      case MoveStep::Kind::sweep: list.push_back({{"sweep", step.pit}, {"seeds", step.seeds}, {"to", to}}); break;
    }
  }
  return list;
}

Json board_json(const Game& game, int from) {
  const Rules& rules = game.rules();
  const int repeated = earlier_occurrences(game);
  const auto [south_now, north_now] = side_stores(game, End::none);
  Json json = {{"rules", rules_name(rules)},
               {"position", position_text(game.position())},
               {"pits", pits_json(game.position())},
               {"stores", {seeds_json(south_now), seeds_json(north_now)}},
               {"mover", side_name(north_moves(game.position()))},
               {"ply", game.plies()}};
  json.update({{"quiet_plies", game.quiet_plies()}, {"quiet_plies_end", rules.quiet_plies}, {"repeated", repeated}, {"repetition_end", rules.repetition_occurrences}});
  json["circling"] = !game.is_over() && (repeated > 0 || game.quiet_plies() >= kCirclingPlies);
  json["over"] = game.is_over();
  json["end"] = game.is_over() ? Json(end_name(game.end())) : Json(nullptr);
  json["result"] = nullptr;
  if (game.is_over()) {
    const auto [south, north] = side_stores(game, game.end());
    json["result"] = {{"south", seeds_json(south)}, {"north", seeds_json(north)}, {"winner", winner_json(south, north)}};
  }
  json["sweeps"] = steps_json(sweep_steps(rules, game.position(), game.end()));
  json["legal"] = legal_json(game);
  json["plies"] = plies_json(game, from);
  return json;
}

Json settled_json(const Game& game) {
  const End end = game.is_over() ? game.end() : End::quiet;
  const auto [south, north] = side_stores(game, end);
  return {{"stores", {seeds_json(south), seeds_json(north)}},
          {"winner", winner_json(south, north)},
          {"sweeps", steps_json(sweep_steps(game.rules(), game.position(), end))}};
}

int board_pit(const Position& position, int action) { return action % kPits + (north_moves(position) ? kPits : 0); }

}  // namespace wari
