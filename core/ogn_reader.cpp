#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/ogn.h"
#include "core/ogn_text.h"

namespace wari {
namespace {

constexpr std::size_t kMostTags = 1000;  // of a game
const std::vector<std::string> kEnds{"table", "resigned", "limit"};

struct ReadTag {
  std::string name, value;
  int line;
};

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool says_nothing(const std::string& value) { return value.empty() || value == "?" || value == "-" || value == "*"; }

// What programs and people call the rule sets: "Oware Abapa", "Abapa", "oware", "Warri", ...; nothing where nobody knows.
std::optional<Rules> rules_of_variant(const std::string& variant) {
  std::string name = lower(variant);
  if (name == "oware" || name == "awalé") return name == "oware" ? Rules{} : parse_rules("awale");
  if (name.starts_with("oware ")) name = name.substr(6);
  for (const auto& [preset, rules] : rule_presets()) {
    if (preset == name) return rules;
  }
  return {};
}

// "25" and "24.5" in half seeds; -1: no such number.
int half_seeds(std::string_view text) {
  int whole = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || whole < 0 || whole > kMaxSeeds || text.front() == '-') return -1;
  const std::string_view fraction(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  return fraction.empty() ? 2 * whole : fraction == ".5" ? 2 * whole + 1 : -1;
}

// A result as written: final stores, or who won as chess players write it.
struct Result {
  int south_half = -1, north_half = -1;
  bool of_points = false;  // 1-0, 0-1, 1/2-1/2
  bool is_none = false;    // *
};

std::optional<Result> parse_result(std::string_view text) {
  if (text == "*" || text == "?" || text.empty()) return Result{-1, -1, false, true};
  if (text == "1/2-1/2") return Result{1, 1, true, false};
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == text.size()) return {};
  const Result result{half_seeds(text.substr(0, dash)), half_seeds(text.substr(dash + 1)), text == "1-0" || text == "0-1", false};
  return result.south_half < 0 || result.north_half < 0 ? std::nullopt : std::optional(result);
}

int sign(int number) { return (number > 0) - (number < 0); }

// The final stores; for a game that ended by majority others also count the rows into them.
bool fits(const Result& result, const Game& game) {
  const SideStores stores = side_stores(game);
  if (result.of_points) return sign(result.south_half - result.north_half) == sign(stores.south_half_seeds - stores.north_half_seeds);
  if (result.south_half == stores.south_half_seeds && result.north_half == stores.north_half_seeds) return true;
  const Position& position = game.position();
  const bool north = north_moves(position);
  const int south_row = 2 * row_seeds(north ? position.opponent : position.mover), north_row = 2 * row_seeds(north ? position.mover : position.opponent);
  return game.end() == End::majority && result.south_half == stores.south_half_seeds + south_row && result.north_half == stores.north_half_seeds + north_row;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const std::optional<Rules>& rules, int most_plies = std::numeric_limits<int>::max())
      : text_(text, name), rules_(rules), most_plies_(most_plies) {}

  // Nothing where the text ends.
  std::optional<OgnGame> next() {
    tags_.clear();
    in_tags_ = true;
    text_.skip_blanks();
    if (text_.at_end()) return {};
    const int line = text_.line();
    read_tags();
    in_tags_ = false;
    OgnGame game(first_position());
    game.line = line;
    const auto [result, result_line] = read_moves(game);
    if (!result.empty()) {  // a comment behind it belongs to this game
      for (text_.skip_blanks(); text_.peek() == '{' || text_.peek() == ';'; text_.skip_blanks()) read_note(game);
    }
    take_result(game, result, result_line);
    for (ReadTag& tag : tags_) {
      if (tag.name != "Result" && tag.name != "Rules" && tag.name != "FEN" && tag.name != "Ended") game.tags.push_back({std::move(tag.name), std::move(tag.value)});
    }
    return game;
  }

  void skip_game() { text_.skip_game(in_tags_); }

 private:
  void read_tags() {
    for (text_.skip_blanks(); text_.peek() == '['; text_.skip_blanks()) {
      const int line = text_.line();
      const std::string name = text_.read_tag_name();
      if (find(name) != nullptr) text_.fail(fmt::format("tag {} is given twice", quote(name)), "leave one out", line);
      if (tags_.size() == kMostTags) text_.fail(fmt::format("more than {} tags", kMostTags), "leave some out", line);
      tags_.push_back({name, text_.read_tag_value(), line});
    }
  }

  const ReadTag* find(std::string_view name) const {
    const auto found = std::find_if(tags_.begin(), tags_.end(), [name](const ReadTag& tag) { return tag.name == name; });
    return found == tags_.end() ? nullptr : &*found;
  }

  // A reader of what a tag or a word says, with the place put before its Error.
  template <class Read>
  auto placed(int line, Read read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", text_.place(line), error.what()));
    }
  }

  Rules rules() const {
    if (const ReadTag* tag = find("Rules"); tag != nullptr) {
      if (tag->value.starts_with('@')) text_.fail(fmt::format("a game names a file of rules: {}", quote(tag->value)), "spell the options out", tag->line);
      return placed(tag->line, [&] { return parse_rules(tag->value); });
    }
    const ReadTag* variant = find("Variant");
    if (variant == nullptr || says_nothing(variant->value)) return rules_.value_or(Rules{});
    if (const std::optional<Rules> known = rules_of_variant(variant->value)) return *known;
    if (rules_) return *rules_;
    text_.fail(fmt::format("unknown variant {}", quote(variant->value)), "say which rules it means: add a tag [Rules \"abapa\"] or give --rules", variant->line);
  }

  Game first_position() const {
    const Rules rules = this->rules();
    const ReadTag* tag = find("FEN");
    if (tag == nullptr) return Game(rules);
    return placed(tag->line, [&] { return Game(rules, parse_position(tag->value, rules)); });
  }

  // Gives the result at the end of the moves, "" where there is none, and its line.
  std::pair<std::string, int> read_moves(OgnGame& game) {
    for (;;) {
      text_.skip_blanks();
      const int line = text_.line();
      const char c = text_.peek();
      if (text_.at_end() || c == '[') return {"", line};
      if (c == '*') return {std::string(1, text_.take()), line};
      if (c >= '0' && c <= '9') {
        const std::string word = text_.read_word("0123456789./-");
        if (parse_result(word)) return {word, line};
        const std::size_t digits = word.find_first_not_of("0123456789");
        if (digits == std::string::npos || word.find_first_not_of('.', digits) != std::string::npos)
          text_.fail(fmt::format("{} is neither the number of a move nor a result", quote(word)), "write 12. or 25-12", line);
      } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
        read_move(game);
      } else {
        read_note(game);
      }
    }
  }

  void read_note(OgnGame& game) {
    const char c = text_.peek();
    const int plies = game.game.plies();
    const auto append = [](std::string& text, const std::string& more) { text += text.empty() || more.empty() ? more : " " + more; };
    if (c == '{' || c == ';') {
      append(plies > 0 ? game.note(plies - 1).comment : game.comment, text_.read_comment());
    } else if (c == '(' && plies > 0) {
      append(game.note(plies - 1).variations, text_.read_variation());
    } else if ((c == '!' || c == '?') && plies > 0) {
      append(game.note(plies - 1).annotation, text_.read_word("!?"));
    } else if (c == '$' && plies > 0) {
      text_.take();
      append(game.note(plies - 1).annotation, "$" + text_.read_word("0123456789"));
    } else {
      text_.fail(fmt::format("{} is no part of a game", quote(std::string(1, c))), "moves are letters from A to F and a to f; text for people stands in { }");
    }
  }

  // One move with its marks: "e", "e+3", "C-", "F+7&".
  void read_move(OgnGame& game) {
    const int line = text_.line();
    if (game.game.plies() >= most_plies_) text_.fail("the game is too long", fmt::format("it may have {} plies", most_plies_), line);
    std::string word(1, text_.take());
    if (text_.peek() == '-') word += text_.take();
    const int action = placed(line, [&] { return parse_move(game.game, word); });
    const Position before = game.game.position();
    game.game.play(action);
    if (text_.peek() == '+') {
      text_.take();
      check_capture(before, game.game, word, text_.read_word("0123456789"), line);
    }
    const bool again = north_moves(game.game.position()) == north_moves(before) && !game.game.is_over();
    if (text_.peek() == '&') {
      text_.take();
      if (!again) text_.fail(fmt::format("{}& says that the same player moves again", word), "the turn passes: leave the & out", line);
    }
  }

  // Seeds captured by the move, or, where it ends the game, all that its player gains by that.
  void check_capture(const Position& before, const Game& game, const std::string& word, const std::string& number, int line) const {
    const Position& after = game.position();
    const bool again = north_moves(after) == north_moves(before);
    const int captured = store_seeds(again ? after.mover : after.opponent) - store_seeds(before.mover);
    const SideStores stores = side_stores(game);
    const int gained_half = (north_moves(before) ? stores.north_half_seeds : stores.south_half_seeds) - 2 * store_seeds(before.mover);
    const int written = number.empty() || number.size() > 2 ? -1 : std::stoi(number);
    if (written == captured || 2 * written == gained_half) return;
    text_.fail(fmt::format("wrong capture {}", quote(word + "+" + number)), fmt::format("the move captures {} at {}", captured, position_text(before)), line);
  }

  void take_result(OgnGame& game, const std::string& word, int word_line) {
    if (const ReadTag* tag = find("Result"); tag != nullptr) check_result(game, tag->value, tag->line);
    if (!word.empty()) check_result(game, word, word_line);
    const ReadTag* ended = find("Ended");
    if (ended == nullptr || says_nothing(ended->value)) return;
    if (std::find(kEnds.begin(), kEnds.end(), ended->value) == kEnds.end()) text_.fail(fmt::format("unknown end {}", quote(ended->value)), suggestion(ended->value, kEnds), ended->line);
    if (game.game.is_over()) text_.fail(fmt::format("the rules ended this game, not {}", quote(ended->value)), "leave the tag out", ended->line);
    game.ended = ended->value;
  }

  void check_result(OgnGame& game, const std::string& written, int line) const {
    const std::optional<Result> result = parse_result(written);
    const int total = 2 * game.game.rules().total_seeds();
    if (!result || result->south_half + result->north_half > total) text_.fail(fmt::format("no result: {}", quote(written)), "write both stores, as in 25-12, or * for none", line);
    if (result->is_none) return;
    if (game.game.is_over()) {
      if (!fits(*result, game.game)) text_.fail(fmt::format("wrong result {}", quote(written)), fmt::format("the game ended {}", ogn_result(game)), line);
    } else if (!game.result.empty() && game.result != written) {
      text_.fail(fmt::format("result {} at the end of the moves", quote(written)), fmt::format("the tag says {}", quote(game.result)), line);
    } else {
      game.result = written;
    }
  }

  OgnText text_;
  const std::optional<Rules>& rules_;
  int most_plies_;
  std::vector<ReadTag> tags_;
  bool in_tags_ = true;
};

}  // namespace

std::vector<OgnGame> read_ogn(std::string_view text, const std::string& name, const std::optional<Rules>& rules, int most_plies) {
  Reader reader(text, name, rules, most_plies);
  std::vector<OgnGame> games;
  while (std::optional<OgnGame> game = reader.next()) games.push_back(std::move(*game));
  return games;
}

OgnCheck check_ogn(std::string_view text, const std::string& name, const std::optional<Rules>& rules) {
  Reader reader(text, name, rules);
  OgnCheck check;
  for (;;) {
    try {
      const std::optional<OgnGame> game = reader.next();
      if (!game) return check;
      ++check.games;
      check.plies += game->game.plies();
    } catch (const Error& error) {
      check.faults.emplace_back(error.what());
      reader.skip_game();
    }
  }
}

}  // namespace wari
