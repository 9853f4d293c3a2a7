#pragma once

#include <string>
#include <string_view>

namespace wari {

// Where a reader of OGN stands in its text, and the parts of it that need no rules: blanks, tags, comments. Faults are Errors with file:line.
class OgnText {
 public:
  OgnText(std::string_view text, std::string name);

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take();
  // Blanks and lines that begin with '%', which programs keep for themselves.
  void skip_blanks();
  int line() const { return line_; }
  std::string place(int line) const;
  [[noreturn]] void fail(const std::string& what, const std::string& advice, int line = 0) const;  // line 0: the present one

  // At '[': name and value of `[Name "value"]`.
  std::string read_tag_name();
  std::string read_tag_value();
  std::string read_comment();                          // at '{' or ';': in one line, without blanks around it
  std::string read_variation();                        // at '(': to the parenthesis that belongs to it
  std::string read_word(std::string_view letters);     // as many of these as follow
  // Past this game, to the line where the next one's tags begin, or the end.
  void skip_game(bool in_tags);

 private:
  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace wari
