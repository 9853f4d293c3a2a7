#include <fmt/core.h>

#include <algorithm>

#include "core/notation.h"
#include "core/random.h"
#include "endgame/predecessors.h"
#include "endgame/table.h"

namespace wari {
namespace {

// What `action` leads to: a capture that ends the game is worth all, or costs all that is left; else the board after it tells.
EndgameMove move_value(const EndgameView& view, const EndgameMoves& moves, const Position& position, int action) {
  const Move move = moves.play(position, action);
  const int captured = move.captured;
  const int left = row_seeds(move.position.mover) + row_seeds(move.position.opponent);
  if (move.end == End::slam) return {action, captured + left, true};
  if (move.end == End::slam_rest) return {action, captured - left, true};
  const EndgameValue next = view.value(move.position);
  return {action, captured + (move.mover_again ? next.seeds : -next.seeds), next.exact};
}

std::vector<EndgameMove> move_values(const EndgameView& view, const EndgameMoves& moves, const Position& position) {
  std::vector<EndgameMove> values;
  for (std::uint32_t left = moves.legal(position); left != 0; left &= left - 1) values.push_back(move_value(view, moves, position, __builtin_ctz(left)));
  return values;
}

Position without_stores(Position position) {
  constexpr Row kStore = Row{0xff} << kStoreShift;
  return {position.mover & ~kStore, position.opponent & ~kStore};
}

// Empty, or what is wrong with one board. Its value is the best of its moves; it is exact if one of the best moves is, and surely if all moves are.
std::string fault_at(const EndgameView& view, const EndgameMoves& moves, const Position& board) {
  const EndgameValue value = view.value(board);
  const std::vector<EndgameMove> successors = move_values(view, moves, board);
  if (successors.empty()) {
    const int rows = row_seeds(board.mover) - row_seeds(board.opponent);
    if (value.seeds == rows && value.exact) return {};
    return fmt::format("{}: no move, so exactly {}, but the table says {}", position_text(board), rows, value.seeds);
  }
  const int best = std::max_element(successors.begin(), successors.end(), [](const auto& a, const auto& b) { return a.seeds < b.seeds; })->seeds;
  if (best != value.seeds) return fmt::format("{}: the best move gives {}, but the table says {}", position_text(board), best, value.seeds);
  const bool may = std::any_of(successors.begin(), successors.end(), [&](const EndgameMove& move) { return move.exact && move.seeds == best; });
  const bool must = std::all_of(successors.begin(), successors.end(), [](const EndgameMove& move) { return move.exact; });
  if (value.exact ? may : !must) return {};
  return fmt::format("{}: the table says that its value is {}exact, its moves say otherwise", position_text(board), value.exact ? "" : "not ");
}

}  // namespace

std::vector<EndgameMove> endgame_moves(const EndgameTable& table, const Position& position) {
  return move_values(table.view(), EndgameMoves(table.rules()), without_stores(position));
}

std::vector<EndgameCount> count_endgames(const EndgameTable& table) {
  const EndgameView& view = table.view();
  std::vector<EndgameCount> counts;
  for (int seeds = 1; seeds <= table.seeds(); ++seeds) {
    EndgameCount count{seeds};
    for (std::uint32_t board = first_board(*view.numbering, seeds); board < first_board(*view.numbering, seeds + 1); ++board) {
      const auto byte = static_cast<std::int8_t>(view.values[board]);
      const int value = byte >> 1;
      ++(value > 0 ? count.win : value == 0 ? count.draw : count.loss);
      count.exact += byte & 1;
    }
    counts.push_back(count);
  }
  return counts;
}

EndgameCheck check_endgames(const EndgameTable& table, std::uint64_t most) {
  constexpr std::uint64_t kSeed = 20021;
  const EndgameMoves moves(table.rules());
  const bool all = table.boards() <= most;
  EndgameCheck check;
  for (std::uint64_t i = 0; i < (all ? table.boards() : most) && check.fault.empty(); ++i) {
    const std::uint32_t number = all ? static_cast<std::uint32_t>(i) : random_below(random_bits(kSeed, i, 0, Purpose::endgame_sample, 0), table.boards());
    check.fault = fault_at(table.view(), moves, numbered_board(*table.view().numbering, number));
    ++check.checked;
  }
  return check;
}

}  // namespace wari
