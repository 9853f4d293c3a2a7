#include "app/terminal/evaluation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/notation.h"

namespace wari {
namespace {

constexpr int kBarCells = 30;

std::string repeated(const char* text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

std::string evaluation_line(const Game& game, const RootResult& result, const TerminalStyle& style) {
  const bool north = north_moves(game.position());
  const double win = result.wdl[0], draw = result.wdl[1], loss = result.wdl[2];
  const double south_win = north ? loss : win, north_win = north ? win : loss;
  const double south_share = std::clamp(south_win + draw / 2, 0.0, 1.0);
  const int cells = static_cast<int>(std::lround(kBarCells * south_share));
  const double margin = north ? -result.margin : result.margin;
  const std::string bar = painted(style, Paint::south, repeated(style.unicode ? "█" : "#", cells)) + painted(style, Paint::north, repeated(style.unicode ? "░" : "-", kBarCells - cells));
  const std::string lead = std::fabs(margin) < 0.05 ? "even" : fmt::format("{} by {:.1f} seeds", margin > 0 ? "South" : "North", std::fabs(margin));
  return fmt::format("South [{}] North  South {:.0f} %, draw {:.0f} %, North {:.0f} %; {}{}\n", bar, 100 * south_win, 100 * draw, 100 * north_win, lead, result.proven ? " (proven)" : "");
}

std::string expected_line(const Game& game, const RootResult& result, std::size_t most_moves) {
  const std::vector<std::string> moves = move_texts(game, result.line);
  const auto shown = std::min(moves.size(), most_moves);
  return fmt::format("{}{}", fmt::join(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(shown), " "), shown < moves.size() ? " ..." : "");
}

std::string analysis_table(const Game& game, const RootResult& result, const TerminalStyle& style) {
  std::vector<RootAction> actions = result.actions;
  std::stable_sort(actions.begin(), actions.end(), [](const RootAction& a, const RootAction& b) { return a.visits > b.visits; });
  std::string text = "move     visits   policy    value\n";
  for (const RootAction& action : actions) {
    const std::string value = action.visits > 0 || action.proven ? fmt::format("{:+.3f}{}", action.value, action.proven ? "  proven" : "") : "     -";
    const std::string row = fmt::format("{:<5} {:>9}   {:>5.1f} %   {}", move_text(game.position(), action.action), action.visits, 100 * action.policy, value);
    text += painted(style, action.action == result.best ? Paint::strong : Paint::faint, row) + "\n";
  }
  return text + fmt::format("value: chance to win minus chance to lose, for {}; expected: {}\n", north_moves(game.position()) ? "North" : "South", expected_line(game, result));
}

}  // namespace wari
