#include "core/notation.h"

#include <charconv>

#include <fmt/format.h>

#include "core/error.h"

namespace wari {
namespace {

Error bad_position(std::string_view text, const std::string& what) {
  return Error(fmt::format("position '{}': {}: write A..F, a..f, both stores and S or N, joined by '-', as in 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", text, what));
}

std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find('-', begin);
    fields.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

int parse_count(std::string_view field, std::string_view text) {
  int value = -1;
  const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool whole = error == std::errc() && rest == field.data() + field.size() && field.front() != '-';
  if (!whole || value > kMaxSeeds) throw bad_position(text, fmt::format("'{}' is not a number from 0 to {}", field, kMaxSeeds));
  return value;
}

std::string illegal_reason(const Game& game, int action, const std::string& word) {
  const bool north = north_moves(game.position());
  if (action < 0) return fmt::format("'{}' is no pit of {}, who is to move", word, north ? "North" : "South");
  if (pit_seeds(game.position().mover, action % kPits) == 0) return "the pit is empty";
  if (action >= kPits) return "there is nothing to decline";
  if (row_seeds(game.position().opponent) == 0) return "the opponent's empty row must be fed";
  return "the rule set forbids it";
}

std::string legal_texts(const Game& game) {
  std::string list;
  for (int action = 0; action < kActions; ++action) {
    if (((game.legal() >> action) & 1) == 0) continue;
    if (!list.empty()) list += ' ';
    list += move_text(game.position(), action);
  }
  return list;
}

// Action named by `text` for the side to move, legal or not; -1 if it is none.
int action_named(const Position& position, std::string_view text) {
  if (text.empty() || text.size() > 2 || (text.size() == 2 && text[1] != '-')) return -1;
  const char first = north_moves(position) ? 'a' : 'A';
  const int pit = text[0] - first;
  if (pit < 0 || pit >= kPits) return -1;
  return text.size() == 2 ? pit + kPits : pit;
}

// `number`: place in a line, from 1; 0 for a single move.
int legal_action(const Game& game, std::string_view text, int number) {
  const std::string what = number > 0 ? fmt::format("illegal move {}: '{}'", number, text) : fmt::format("illegal move '{}'", text);
  if (game.is_over()) throw Error(fmt::format("{}: the game is over at {}: no move can follow", what, position_text(game.position())));
  const int action = action_named(game.position(), text);
  if (action < 0 || ((game.legal() >> action) & 1) == 0) {
    throw Error(fmt::format("{}: {} at {}: legal are {}", what, illegal_reason(game, action, std::string(text)), position_text(game.position()), legal_texts(game)));
  }
  return action;
}

}  // namespace

std::string position_text(const Position& position) {
  const bool north = north_moves(position);
  const Row south_row = north ? position.opponent : position.mover, north_row = north ? position.mover : position.opponent;
  std::string text;
  for (const Row row : {south_row, north_row}) {
    for (int pit = 0; pit < kPits; ++pit) text += fmt::format("{}-", pit_seeds(row, pit));
  }
  return text + fmt::format("{}-{}-{}", store_seeds(south_row), store_seeds(north_row), north ? 'N' : 'S');
}

Position parse_position(std::string_view text, const Rules& rules) {
  const std::vector<std::string_view> fields = split_fields(text);
  const std::string_view side = fields.back();
  if (side != "S" && side != "N") throw bad_position(text, fmt::format("it ends in '{}', not in the player to move", side));
  if (fields.size() != 15) throw bad_position(text, fmt::format("it has {} numbers, not 14", fields.size() - 1));
  Row rows[2] = {0, Row{1} << kOwnerShift};
  int sum = 0;
  for (std::size_t place = 0; place < 14; ++place) {
    const int count = parse_count(fields[place], text);
    const std::size_t row = place < 12 ? place / 6 : place - 12;
    const int shift = place < 12 ? 8 * static_cast<int>(place % 6) : kStoreShift;
    rows[row] |= static_cast<Row>(count) << shift;
    sum += count;
  }
  if (sum != rules.total_seeds()) {
    throw Error(fmt::format("position '{}': its numbers add up to {}, but '{}' has {} seeds: correct it or choose another rule set", text, sum, rules_name(rules), rules.total_seeds()));
  }
  return side == "S" ? Position{rows[0], rows[1]} : Position{rows[1], rows[0]};
}

std::string board_text(const Position& position) {
  const bool north = north_moves(position);
  const Row south_row = north ? position.opponent : position.mover, north_row = north ? position.mover : position.opponent;
  std::string above, below;
  for (int pit = 0; pit < kPits; ++pit) {
    above += fmt::format("|{:>2} ", pit_seeds(north_row, kPits - 1 - pit));
    below += fmt::format("|{:>2} ", pit_seeds(south_row, pit));
  }
  return fmt::format("        f   e   d   c   b   a\n"
                     " {:>2}   {}|  North{}\n"
                     "      +---+---+---+---+---+---+\n"
                     " {:>2}   {}|  South{}\n"
                     "        A   B   C   D   E   F\n",
                     store_seeds(north_row), above, north ? ", to move" : "", store_seeds(south_row), below, north ? "" : ", to move");
}

std::string move_text(bool north, int action) {
  std::string text(1, static_cast<char>((north ? 'a' : 'A') + action % kPits));
  return action >= kPits ? text + "-" : text;
}

std::string move_text(const Position& position, int action) { return move_text(north_moves(position), action); }

int parse_move(const Game& game, std::string_view text) { return legal_action(game, text, 0); }

void play_line(Game& game, std::string_view line) {
  int number = 0;
  for (std::size_t place = 0; place < line.size();) {
    const std::size_t length = place + 1 < line.size() && line[place + 1] == '-' ? 2 : 1;
    game.play(legal_action(game, line.substr(place, length), ++number));
    place += length;
  }
}

std::vector<std::string> move_texts(Game game, std::span<const int> actions) {
  std::vector<std::string> texts;
  for (const int action : actions) {
    if (((game.legal() >> action) & 1) == 0) break;
    texts.push_back(move_text(game.position(), action));
    game.play(action);
  }
  return texts;
}

std::string line_text(const Game& game) {
  const std::vector<int> actions(game.actions().begin(), game.actions().end());
  return fmt::format("{}", fmt::join(move_texts(Game(game.rules(), game.start()), actions), ""));
}

}  // namespace wari
