#pragma once

#include <string>
#include <string_view>
#include <vector>

// Suggestions for mistyped names: every message about an unknown word names the nearest known one.
namespace wari {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other; letter case costs nothing.
int edit_distance(std::string_view a, std::string_view b);

// The known name nearest to `word`, the first of equals; empty where none is near (more than about a third of the letters differ).
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

// "did you mean 'laps'?" or, where nothing is near, "known are 'a', 'b', 'c'".
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

// Offending text as it stands in a message: in single quotes, control characters replaced, cut where long.
std::string quote(std::string_view text);

}  // namespace wari
