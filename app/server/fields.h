#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/server/http.h"
#include "core/game.h"

// What a request says, read strictly: the keys of its body, or of its query.
namespace wari {

inline constexpr int kMostPlies = 4000;                  // of a game in a request: replaying is quadratic in the plies without a capture
inline constexpr std::size_t kMostBodyBytes = 64 << 10;  // of a request
inline constexpr std::size_t kMostGamesBytes = 1 << 20;  // of one that brings games of a file

// Each key must be taken by one of the functions; done() refuses those that were not. All throw HttpError 400.
class Fields {
 public:
  // The body, a JSON object; also 415 for another type and 413 for one that is too long.
  explicit Fields(const HttpRequest& request, std::size_t most_bytes = kMostBodyBytes);
  Fields(const nlohmann::json& object, std::string place);

  bool has(const std::string& key);  // and not null
  std::string text(const std::string& key, std::size_t most_bytes);
  std::string text_or(const std::string& key, const std::string& otherwise, std::size_t most_bytes);
  std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high);
  std::int64_t whole_or(const std::string& key, std::int64_t otherwise, std::int64_t low, std::int64_t high);
  bool flag_or(const std::string& key, bool otherwise);
  std::vector<std::string> texts(const std::string& key, std::size_t count, std::size_t most_bytes);  // exactly so many
  Fields object(const std::string& key);                                                               // read with its own done()
  std::vector<std::pair<std::string, std::string>> text_map(const std::string& key, std::size_t most_entries, std::size_t most_bytes);  // none: empty
  std::vector<Fields> objects(const std::string& key, std::size_t most);  // each read with its own done(); none: empty
  void done() const;

 private:
  const nlohmann::json& value(const std::string& key, const char* wanted);
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const;

  nlohmann::json object_;
  std::string place_;  // "the request's body"
  std::vector<std::string> known_;
};

// RULES, but no files.
Rules read_rules(const std::string& text);
// The game of a request: `rules`, `start`, `moves`.
Game read_game(Fields& fields);

// A number of the query; the only keys that it may have are `known`.
std::int64_t query_number(const HttpRequest& request, const std::string& key, std::int64_t otherwise, std::int64_t low, std::int64_t high);
std::string query_text(const HttpRequest& request, const std::string& key);
void check_query(const HttpRequest& request, const std::vector<std::string>& known);

}  // namespace wari
