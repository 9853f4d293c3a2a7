#include "arena/option_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

template <class Number>
Number number_option(const OptionList& options, const std::string& key, Number otherwise, Number low, Number high, const std::string& whose, const char* kind) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  const std::string& text = found->second;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool in_range = error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;  // false for NaN
  if (!in_range) bad_option_value(key, text, whose, fmt::format("{} from {} to {}", kind, low, high));
  return value;
}

}  // namespace

OptionList parse_option_list(std::string_view text, const std::vector<std::string>& known, const std::string& what) {
  OptionList options;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    const std::string key(word.substr(0, equals));
    if (known.empty()) throw Error("unknown option " + quote(key) + ": " + what + ": it has no options");
    if (std::find(known.begin(), known.end(), key) == known.end()) throw Error("unknown option " + quote(key) + ": " + what + ": " + suggestion(key, known));
    if (equals == std::string_view::npos || equals + 1 == word.size())
      throw Error("an option without value: " + quote(word) + " in " + what + ": write '" + key + "=VALUE'");
    if (!options.emplace(key, word.substr(equals + 1)).second) throw Error("an option given twice: " + quote(key) + " in " + what + ": keep one of them");
  }
  return options;
}

int whole_option(const OptionList& options, const std::string& key, int otherwise, int low, int high, const std::string& whose) {
  return number_option(options, key, otherwise, low, high, whose, "a whole number");
}

double real_option(const OptionList& options, const std::string& key, double otherwise, double low, double high, const std::string& whose) {
  return number_option(options, key, otherwise, low, high, whose, "a number");
}

std::string text_option(const OptionList& options, const std::string& key, const std::string& otherwise) {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : found->second;
}

void bad_option_value(const std::string& key, const std::string& value, const std::string& whose, const std::string& wanted) {
  throw Error("bad value " + quote(value) + ": option '" + key + "' of " + whose + ": give " + wanted);
}

}  // namespace wari
