#include "core/ogn_text.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Blanks of any kind and number become one space, those at the ends none.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

OgnText::OgnText(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

char OgnText::take() {
  const char c = text_[at_++];
  if (c == '\n') ++line_;
  return c;
}

void OgnText::skip_blanks() {
  while (!at_end()) {
    const bool line_begins = at_ == 0 || text_[at_ - 1] == '\n';
    if (line_begins && peek() == '%') {
      while (!at_end() && take() != '\n') {
      }
    } else if (is_blank(peek())) {
      take();
    } else {
      return;
    }
  }
}

std::string OgnText::place(int line) const { return fmt::format("{}:{}", name_, line); }

void OgnText::fail(const std::string& what, const std::string& advice, int line) const {
  throw Error(fmt::format("{}: {}: {}", what, place(line > 0 ? line : line_), advice));
}

std::string OgnText::read_tag_name() {
  take();
  while (peek() == ' ' || peek() == '\t') take();
  std::string name;
  while (is_name(peek())) name += take();
  if (name.empty()) fail("a tag without a name", "write it as [Event \"Club evening\"]");
  return name;
}

std::string OgnText::read_tag_value() {
  while (peek() == ' ' || peek() == '\t') take();
  if (peek() != '"') fail("the value of a tag is not in quotes", "write it as [Event \"Club evening\"]");
  take();
  std::string value;
  for (;;) {
    if (at_end() || peek() == '\n') fail(fmt::format("a tag without its closing quote: {}", quote(value)), "a quote within the value is written \\\"");
    const char c = take();
    if (c == '"') break;
    if (c == '\\' && (peek() == '"' || peek() == '\\'))
      value += take();
    else if (c != '\r')
      value += c;
  }
  while (peek() == ' ' || peek() == '\t') take();
  if (peek() != ']') fail(fmt::format("a tag without its closing bracket: {}", quote(value)), "write it as [Event \"Club evening\"]");
  take();
  return value;
}

std::string OgnText::read_comment() {
  const int first_line = line_;
  const bool to_end_of_line = take() == ';';
  const std::size_t begin = at_;
  while (!at_end() && peek() != (to_end_of_line ? '\n' : '}')) take();
  if (at_end() && !to_end_of_line) fail("a comment without its closing brace", "it begins here and must end in '}'", first_line);
  const std::size_t end = at_;
  if (!at_end()) take();
  return in_one_line(text_.substr(begin, end - begin));
}

std::string OgnText::read_variation() {
  const int first_line = line_;
  const std::size_t begin = at_;
  int open = 0;
  bool in_comment = false;
  do {
    if (at_end()) fail("a variation without its closing parenthesis", "it begins here and must end in ')'", first_line);
    const char c = take();
    if (in_comment) {
      in_comment = c != '}';
    } else if (c == '{') {
      in_comment = true;
    } else {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
  } while (open > 0);
  return in_one_line(text_.substr(begin, at_ - begin));
}

std::string OgnText::read_word(std::string_view letters) {
  std::string word;
  while (!at_end() && letters.find(peek()) != std::string_view::npos) word += take();
  return word;
}

void OgnText::skip_game(bool in_tags) {
  if (!in_tags && peek() == '[') return;
  while (!at_end()) {
    while (!at_end() && take() != '\n') {
    }
    const bool tag = peek() == '[';
    if (tag && !in_tags) return;
    if (!tag) in_tags = false;
  }
}

}  // namespace wari
