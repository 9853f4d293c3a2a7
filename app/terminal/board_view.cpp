#include "app/terminal/board_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/notation.h"
#include "core/sowing.h"

namespace wari {
namespace {

constexpr int kDotsInLine = 5, kDotLines = 2;
constexpr const char* kMargin = "          ";  // beside the pits, where a store stands

// What the last move did, as masks of pits by side: bit i is pit i.
struct LastMove {
  int action = -1;
  bool north = false;
  unsigned captured_pits = 0;  // of the other side
  int captured = 0;
};

LastMove last_move(const Game& game) {
  LastMove last;
  if (game.plies() == 0) return last;
  Game before = game;
  before.take_back();
  const Position& position = before.position();
  last.action = game.actions().back();
  last.north = north_moves(position);
  if (last.action >= kPits) return last;
  const Sowing sowing = sow(sowing_tables(), game.rules(), position, last.action);
  const Row taken = captured_pits(sowing, game.rules().grand_slam);
  for (int pit = 0; pit < kPits; ++pit) {
    if (pit_seeds(taken, pit) == 0) continue;
    last.captured_pits |= 1u << pit;
    last.captured += pit_seeds(sowing.opponent, pit);
  }
  return last;
}

// One side's row as it is drawn: pits from left to right.
struct DrawnRow {
  Row row;
  bool north;
  bool below;
  int pit(int column) const { return below ? column : kPits - 1 - column; }
};

std::string dots(int seeds, int line, bool unicode) {
  const int most = kDotsInLine * kDotLines;
  const int shown = std::clamp(std::min(seeds, most) - line * kDotsInLine, 0, kDotsInLine);
  std::string text;
  for (int dot = 0; dot < shown; ++dot) text += seeds > most && line * kDotsInLine + dot == most - 1 ? "+" : unicode ? "●" : "o";
  const int blanks = kDotsInLine - shown;
  return std::string(static_cast<std::size_t>(blanks / 2), ' ') + text + std::string(static_cast<std::size_t>(blanks - blanks / 2), ' ');
}

std::string rule_line(bool unicode, int place) {  // 0: top, 1: middle, 2: bottom
  constexpr const char* kLeft[] = {"┌", "├", "└"};
  constexpr const char* kCross[] = {"┬", "┼", "┴"};
  constexpr const char* kRight[] = {"┐", "┤", "┘"};
  std::string line = kMargin;
  for (int pit = 0; pit < kPits; ++pit) {
    line += !unicode ? "+" : pit == 0 ? kLeft[place] : kCross[place];
    for (int dash = 0; dash < kDotsInLine + 2; ++dash) line += unicode ? "─" : "-";
  }
  return line + (unicode ? kRight[place] : "+");
}

class Drawing {
 public:
  Drawing(const Game& game, const BoardView& view) : game_(game), view_(view), last_(last_move(game)) {}

  std::string text() const {
    const Position& position = game_.position();
    const bool north = north_moves(position);
    const Row south_row = north ? position.opponent : position.mover, north_row = north ? position.mover : position.opponent;
    const DrawnRow below{view_.north_below ? north_row : south_row, view_.north_below, true};
    const DrawnRow above{view_.north_below ? south_row : north_row, !view_.north_below, false};
    const bool unicode = view_.style.unicode;
    return letters(above) + "\n" + rule_line(unicode, 0) + "\n" + pits(above) + rule_line(unicode, 1) + "\n" + pits(below) + rule_line(unicode, 2) + "\n" + letters(below) + "\n";
  }

 private:
  // The last move's pit in parentheses, captured ones with an x.
  std::string letters(const DrawnRow& row) const {
    std::string line = kMargin;
    for (int column = 0; column < kPits; ++column) {
      const int pit = row.pit(column);
      const std::string letter(1, static_cast<char>((row.north ? 'a' : 'A') + pit));
      const bool played = last_.action >= 0 && last_.north == row.north && last_.action % kPits == pit;
      const bool captured = last_.action >= 0 && last_.north != row.north && ((last_.captured_pits >> pit) & 1) != 0;
      const bool legal = view_.mark_legal && north_moves(game_.position()) == row.north && ((game_.legal() | game_.legal() >> kPits) >> pit & 1) != 0;
      const Paint paint = played ? Paint::played : captured ? Paint::captured : legal ? Paint::legal : Paint::faint;
      line += "   " + painted(view_.style, paint, played ? "(" + letter + ")" : captured ? "x" + letter + " " : " " + letter + " ") + "  ";
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  std::string pits(const DrawnRow& row) const {
    const std::string wall = view_.style.unicode ? "│" : "|";
    const std::string name = row.north ? "North" : "South", store = std::to_string(store_seeds(row.row));
    const bool to_move = !game_.is_over() && north_moves(game_.position()) == row.north;
    std::string text;
    for (int line = 0; line <= kDotLines; ++line) {
      const std::string beside = line == 1 ? (to_move ? "* " : "  ") + name : line == 2 ? fmt::format("{:>5}", store) : "";
      const std::string side = painted(view_.style, row.north ? Paint::north : Paint::south, beside) + std::string(10 - std::min<std::size_t>(beside.size(), 10), ' ');
      text += row.below ? kMargin : side;
      for (int column = 0; column < kPits; ++column) {
        const int seeds = pit_seeds(row.row, row.pit(column));
        const std::string number = fmt::format("{:^{}}", seeds, kDotsInLine);
        text += wall + " " + (line < kDotLines ? painted(view_.style, Paint::seeds, dots(seeds, line, view_.style.unicode)) : painted(view_.style, seeds > 0 ? Paint::strong : Paint::faint, number)) + " ";
      }
      text += wall;
      if (row.below && !beside.empty()) text += "  " + painted(view_.style, row.north ? Paint::north : Paint::south, beside);
      text += "\n";
    }
    return text;
  }

  const Game& game_;
  const BoardView& view_;
  LastMove last_;
};

std::string reason(End end) {
  switch (end) {
    case End::majority: return "a store holds more than half of the seeds";
    case End::no_move: return "no legal move is left, and each takes the own row";
    case End::slam: return "a forced grand slam, and each takes the own row";
    case End::slam_rest: return "a grand slam, and the opponent takes the rest";
    case End::quiet: return "nothing was captured for too long, and each takes the own row";
    case End::repetition: return "the position repeats";
    default: return "it was ended";
  }
}

}  // namespace

std::string board_view(const Game& game, const BoardView& view) { return Drawing(game, view).text(); }

std::string last_move_text(const Game& game) {
  const LastMove last = last_move(game);
  if (last.action < 0) return "";
  std::string text = fmt::format("{} played {}", last.north ? "North" : "South", move_text(last.north, last.action));
  if (last.action >= kPits) return text + " and declined to capture";
  if (last.captured == 0) return text;
  std::vector<std::string> pits;
  for (int pit = 0; pit < kPits; ++pit) {
    if ((last.captured_pits >> pit) & 1) pits.push_back(move_text(!last.north, pit));
  }
  text += fmt::format(" and captured {} from {}", last.captured, fmt::join(pits, ", "));
  const bool again = !game.is_over() && north_moves(game.position()) == last.north;
  return again ? text + ": a grand slam, so the same player moves again" : text;
}

std::string score_text(const SideStores& stores) { return fmt::format("South {:g}, North {:g}", stores.south_half_seeds / 2.0, stores.north_half_seeds / 2.0); }

std::string winner_text(const SideStores& stores) {
  const double south = stores.south_half_seeds / 2.0, north = stores.north_half_seeds / 2.0;
  if (south == north) return fmt::format("a draw, {:g} to {:g}", south, north);
  return fmt::format("{} wins {:g} to {:g}", south > north ? "South" : "North", std::max(south, north), std::min(south, north));
}

std::string outcome_text(const Game& game) { return fmt::format("{} ({})", winner_text(side_stores(game)), reason(game.end())); }

}  // namespace wari
