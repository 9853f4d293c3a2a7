#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// "depth=6,visits=64": options of a player or of a test as they are typed on the command line.
namespace wari {

using OptionList = std::map<std::string, std::string>;

// `what` names the whole in messages: "player 'search:visits=4'". Throws Error for an unknown key (with the nearest), a missing value, or a key given twice.
OptionList parse_option_list(std::string_view text, const std::vector<std::string>& known, const std::string& what);

// The number behind `key`, or `otherwise` where it was not given. Throws Error where the text is no number from `low` to `high`; `whose`: "a player".
int whole_option(const OptionList& options, const std::string& key, int otherwise, int low, int high, const std::string& whose);
double real_option(const OptionList& options, const std::string& key, double otherwise, double low, double high, const std::string& whose);
std::string text_option(const OptionList& options, const std::string& key, const std::string& otherwise);

[[noreturn]] void bad_option_value(const std::string& key, const std::string& value, const std::string& whose, const std::string& wanted);

}  // namespace wari
