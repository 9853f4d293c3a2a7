#include "app/uci/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/notation.h"

namespace wari {
namespace {

constexpr std::size_t kLongestText = 400;  // of an info string

int centi_seeds(float margin) { return static_cast<int>(std::lround(100 * margin)); }

// The principal variation as one word, as the Oware programs write lines; without one the best move.
std::string line_word(const Game& game, const RootResult& root) {
  const std::string word = fmt::format("{}", fmt::join(move_texts(game, root.line), ""));
  return word.empty() ? move_text(game.position(), root.best) : word;
}

// Win, draw and loss in thousandths that add up to 1000.
std::string wdl_words(const RootResult& root) {
  const int win = static_cast<int>(std::lround(1000 * root.wdl[0]));
  const int loss = std::min(1000 - win, static_cast<int>(std::lround(1000 * root.wdl[2])));
  return fmt::format(" wdl {} {} {}", win, 1000 - win - loss, loss);
}

}  // namespace

std::string info_line(const Game& game, const Thought& thought, bool show_wdl) {
  const double seconds = std::max(thought.seconds, 1e-6);
  const int full = static_cast<int>(std::clamp(std::lround(1000 * thought.full), 0L, 1000L));
  return fmt::format("info depth {} nodes {} nps {} score cp {}{} hashfull {} time {} pv {}", std::max(1, thought.depth), thought.root.simulations,
                     std::llround(static_cast<double>(thought.simulations) / seconds), centi_seeds(thought.root.margin), show_wdl ? wdl_words(thought.root) : "", full,
                     std::llround(1000 * thought.seconds), line_word(game, thought.root));
}

std::string finished_info_line(const Thought& thought) { return fmt::format("info depth 0 nodes 0 nps 0 score cp {}", centi_seeds(thought.root.margin)); }

std::string bestmove_line(const Game& game, int best, const RootResult& root) {
  if (best < 0) return "bestmove 0000";
  std::string line = "bestmove " + move_text(game.position(), best);
  if (root.line.size() < 2 || root.line[0] != best) return line;
  Game next = game;
  next.play(best);
  const bool other_moves = !next.is_over() && north_moves(next.position()) != north_moves(game.position());
  if (other_moves && ((next.legal() >> root.line[1]) & 1) != 0) line += " ponder " + move_text(next.position(), root.line[1]);
  return line;
}

std::vector<std::string> move_lines(const Game& game, const RootResult& root) {
  std::vector<std::string> lines;
  for (const RootAction& action : root.actions) {
    lines.push_back(info_string(fmt::format("{:<2} visits {} prior {:.4f} policy {:.4f} value {:+.4f}{}", move_text(game.position(), action.action), action.visits, action.prior,
                                            action.policy, action.value, action.proven ? " proven" : "")));
  }
  return lines;
}

std::string info_string(std::string_view text) {
  std::string line = "info string ";
  for (const char c : text.substr(0, kLongestText)) line += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  return text.size() > kLongestText ? line + "..." : line;
}

}  // namespace wari
