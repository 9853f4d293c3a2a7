#include "search/engine_bytes.h"

#include <algorithm>
#include <set>

#include "search/play_step.h"
#include "search/search_arena.h"

namespace wari {
namespace {

// Tables as a device keeps them: for the searches, and for adjudication.
std::size_t endgame_bytes(const SelfplayEngineSettings& settings) {
  std::set<const std::uint8_t*> values;
  std::size_t bytes = 0;
  for (const Rules& rules : settings.rules) {
    const EndgameView view = endgame_view(settings.tables, rules);
    if (view.values != nullptr && values.insert(view.values).second) bytes += first_board(endgame_numbering(), view.seeds + 1);
  }
  if (values.empty()) return 0;
  bytes += sizeof(EndgameNumbering) + settings.rules.size() * sizeof(EndgameView);
  return bytes * ((settings.search_tables != TableSearch::none ? 1 : 0) + (settings.adjudicated_share > 0 ? 1 : 0));
}

template <class Node>
EngineBytes bytes_of(const SelfplayEngineSettings& settings, bool tokens) {
  const auto lanes = static_cast<std::size_t>(settings.lanes);
  const auto simulations = static_cast<std::size_t>(std::max(settings.play.simulations, settings.play.capped_simulations));
  std::size_t quiet_plies = 0;
  for (const Rules& rules : settings.rules) quiet_plies = std::max<std::size_t>(quiet_plies, rules.quiet_plies);
  EngineBytes bytes;
  bytes.trees = lanes * ((simulations + 1) | 1) * sizeof(Node);
  const std::size_t row = sizeof(Position) + sizeof(std::uint16_t) + 2 * sizeof(std::uint8_t) + (tokens ? kBoardTokens * sizeof(Token) : 0) + kOutputs * sizeof(float);
  const std::size_t opened = 3 * sizeof(float) + sizeof(std::uint8_t);
  const std::size_t path = kPathKept * sizeof(std::uint64_t) + sizeof(std::int32_t);
  const std::size_t game = sizeof(SearchLane) + sizeof(RootData<Node::kEdges>) + sizeof(PlayLane) + (quiet_plies + 1) * sizeof(Position);
  bytes.lanes = lanes * (row + opened + path + game);
  bytes.log = lanes * kLogSlots * sizeof(MoveRecord);
  const std::size_t table = std::min<std::size_t>(simulations + 4, std::size_t{kTableSizeMax});
  bytes.tables = endgame_bytes(settings) + sizeof(SearchParameters) + sizeof(PlayParameters) + settings.rules.size() * (sizeof(Rules) + sizeof(Position)) + settings.rules_cycle.size() + 2 * table * sizeof(float) + sizeof(SowingTables);
  return bytes;
}

}  // namespace

EngineBytes engine_bytes(const SelfplayEngineSettings& settings, bool tokens) {
  return needs_twelve_edges(settings) ? bytes_of<NarrowNode12>(settings, tokens) : bytes_of<NarrowNode6>(settings, tokens);
}

}  // namespace wari
