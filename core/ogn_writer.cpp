#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/notation.h"
#include "core/ogn.h"

namespace wari {
namespace {

constexpr std::size_t kColumns = 79;
constexpr const char* kRoster[] = {"Event", "Site", "Date", "Round", "South", "North"};  // between Variant and Result; older readers want Variant first

std::string tag_line(const std::string& name, const std::string& value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return fmt::format("[{} \"{}\"]\n", name, escaped);
}

std::string value_of(const OgnGame& game, const std::string& name, const std::string& otherwise) {
  const std::string* value = game.tag(name);
  return value != nullptr ? *value : otherwise;
}

std::string tags_text(const OgnGame& game) {
  std::string text = tag_line("Variant", value_of(game, "Variant", ogn_variant(game.game.rules())));
  for (const char* name : kRoster) text += tag_line(name, value_of(game, name, "?"));
  text += tag_line("Result", ogn_result(game));
  if (!(game.game.start() == start_position(game.game.rules()))) text += tag_line("FEN", position_text(game.game.start()));
  text += tag_line("Rules", rules_name(game.game.rules()));
  if (!game.ended.empty()) text += tag_line("Ended", game.ended);
  for (const OgnTag& tag : game.tags) {
    const bool written = tag.name == "Variant" || std::find(std::begin(kRoster), std::end(kRoster), tag.name) != std::end(kRoster);
    if (!written) text += tag_line(tag.name, tag.value);
  }
  return text;
}

// Words put into lines; a word longer than a line has one to itself.
class Lines {
 public:
  void add(std::string_view word) {
    if (column_ > 0 && column_ + 1 + word.size() > kColumns) {
      text_ += '\n';
      column_ = 0;
    } else if (column_ > 0) {
      text_ += ' ';
      ++column_;
    }
    text_ += word;
    column_ += word.size();
  }
  void add_words(std::string_view words) {
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      if (end > begin) add(words.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  void add_comment(std::string comment) {
    if (comment.empty()) return;
    std::replace(comment.begin(), comment.end(), '}', ')');  // it would end there
    for (char& c : comment) {
      if (std::isspace(static_cast<unsigned char>(c))) c = ' ';
    }
    add("{");
    add_words(comment);
    add("}");
  }
  std::string take() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
  std::size_t column_ = 0;
};

std::string move_word(const Position& before, int action, const Position& after, bool over) {
  std::string word = move_text(before, action);
  const bool same_mover = north_moves(before) == north_moves(after);
  const int captured = store_seeds(same_mover ? after.mover : after.opponent) - store_seeds(before.mover);
  if (captured > 0) word += fmt::format("+{}", captured);
  if (same_mover && !over) word += '&';
  return word;
}

}  // namespace

std::string ogn_variant(const Rules& rules) {
  const std::string name = rules_name(rules);
  std::string preset = name.substr(0, name.find(','));
  preset[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(preset[0])));
  return "Oware " + preset;
}

std::string ogn_result(const OgnGame& game) {
  if (!game.game.is_over()) return game.result.empty() ? "*" : game.result;
  const SideStores stores = side_stores(game.game);
  return fmt::format("{:g}-{:g}", stores.south_half_seeds / 2.0, stores.north_half_seeds / 2.0);
}

std::string ogn_text(const OgnGame& game) {
  Lines lines;
  lines.add_comment(game.comment);
  Game played(game.game.rules(), game.game.start());
  int number = 0;
  const bool north_began = north_moves(played.position());
  bool again = false;
  for (std::size_t ply = 0; ply < game.game.actions().size(); ++ply) {
    const Position before = played.position();
    if (north_moves(before) == north_began && !again) lines.add(fmt::format("{}.", ++number));
    played.play(game.game.actions()[ply]);
    again = north_moves(played.position()) == north_moves(before);
    lines.add(move_word(before, game.game.actions()[ply], played.position(), played.is_over()));
    const OgnNote note = ply < game.notes.size() ? game.notes[ply] : OgnNote{};
    lines.add_words(note.annotation);
    lines.add_comment(note.comment);
    lines.add_words(note.variations);
  }
  lines.add(ogn_result(game));
  return tags_text(game) + "\n" + lines.take();
}

const std::string* OgnGame::tag(std::string_view name) const {
  const auto found = std::find_if(tags.begin(), tags.end(), [name](const OgnTag& tag) { return tag.name == name; });
  return found == tags.end() ? nullptr : &found->value;
}

void OgnGame::set_tag(const std::string& name, std::string value) {
  for (OgnTag& tag : tags) {
    if (tag.name == name) {
      tag.value = std::move(value);
      return;
    }
  }
  tags.push_back({name, std::move(value)});
}

OgnNote& OgnGame::note(int ply) {
  const auto place = static_cast<std::size_t>(ply);
  if (notes.size() <= place) notes.resize(place + 1);
  return notes[place];
}

}  // namespace wari
