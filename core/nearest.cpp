#include "core/nearest.h"

#include <algorithm>
#include <cctype>

namespace wari {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 64;  // nobody types longer names; garbage must not cost quadratic time
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));  // [letters of a, letters of b]
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int replaced = cost[i - 1][j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  int best_distance = 1 << 20;
  for (const std::string& name : names) {
    const int distance = edit_distance(word, name);
    const int allowed = std::max<int>(2, static_cast<int>(std::max(word.size(), name.size())) / 3);
    if (distance <= allowed && distance < static_cast<int>(std::max(word.size(), name.size())) && distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = nearest_name(word, names);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (names.empty()) return "none is known here";
  std::string text = "known are ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i ? ", '" : "'") + names[i] + "'";
  return text;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string result = "'";
  for (char c : text.substr(0, kLongest)) result += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace wari
