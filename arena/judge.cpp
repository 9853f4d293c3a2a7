#include "arena/judge.h"

#include <algorithm>

#include "core/error.h"

namespace wari {
namespace {

constexpr std::size_t kRows = 256;

// The rows of a batch.
struct Rows {
  std::vector<Position> positions = std::vector<Position>(kRows);                  // [kRows]
  std::vector<std::uint16_t> quiet_plies = std::vector<std::uint16_t>(kRows);      // [kRows]
  std::vector<std::uint8_t> rules_index = std::vector<std::uint8_t>(kRows);        // [kRows]
  std::vector<std::uint8_t> active = std::vector<std::uint8_t>(kRows);             // [kRows]
  std::vector<Token> tokens = std::vector<Token>(kRows * kBoardTokens);            // [kRows, kBoardTokens]
  std::vector<std::array<float, kOutputs>> outputs{kRows};                         // [kRows, kOutputs]
};

void fill(Rows& rows, std::span<const Game* const> games, const Rules& rules, bool tokens) {
  for (std::size_t row = 0; row < kRows; ++row) {
    const Game& game = *games[std::min(row, games.size() - 1)];
    if (!(game.rules() == rules)) throw Error("games of different rule sets in one batch: they are judged one set at a time", ErrorKind::system);
    rows.positions[row] = game.position();
    rows.quiet_plies[row] = static_cast<std::uint16_t>(game.quiet_plies());
    rows.active[row] = row < games.size() ? 1 : 0;
    if (tokens) encode_board(sowing_tables(), rules, game.position(), game.quiet_plies(), &rows.tokens[row * kBoardTokens]);
  }
}

}  // namespace

std::vector<std::array<float, kOutputs>> judge(Evaluator& evaluator, std::span<const Game* const> games) {
  std::vector<std::array<float, kOutputs>> all;
  Rows rows;
  for (std::size_t first = 0; first < games.size(); first += kRows) {
    const auto some = games.subspan(first, std::min(kRows, games.size() - first));
    const Rules& rules = games.front()->rules();
    fill(rows, some, rules, evaluator.needs_tokens());
    EvaluationBatch batch;
    batch.rows = static_cast<int>(kRows);
    batch.positions = rows.positions.data();
    batch.quiet_plies = rows.quiet_plies.data();
    batch.rules_index = rows.rules_index.data();
    batch.rules = {&rules, 1};
    batch.board_tokens = evaluator.needs_tokens() ? rows.tokens.data() : nullptr;
    batch.active = rows.active.data();
    evaluator.evaluate(batch, rows.outputs.front().data());
    all.insert(all.end(), rows.outputs.begin(), rows.outputs.begin() + static_cast<std::ptrdiff_t>(some.size()));
  }
  return all;
}

}  // namespace wari
