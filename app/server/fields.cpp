#include "app/server/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"

namespace wari {
namespace {

using nlohmann::json;

std::string shown(const json& value) { return quote(value.dump(-1, ' ', false, json::error_handler_t::replace)); }

json parsed_body(const HttpRequest& request, std::size_t most_bytes) {
  if (request.body.size() > most_bytes) throw HttpError(413, fmt::format("the body is too long: {}: send at most {} bytes", request.path, most_bytes));
  std::string type = request.header("content-type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  if (type != "application/json") throw HttpError(415, fmt::format("the body is no JSON: header Content-Type {}: send application/json", quote(type)));
  // Copying and writing a document recurse: what nests deeper than any request of ours is refused while it is read.
  static constexpr int kMostDepth = 8;
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > kMostDepth) throw HttpError(400, fmt::format("nested too deeply: the request's body: at most {} levels", kMostDepth));
    return true;
  };
  json body = json::parse(request.body, shallow, false);
  if (body.is_discarded()) throw HttpError(400, fmt::format("not JSON: the request's body {}: send an object of the keys in docs/web-api.md", quote(request.body)));
  return body;
}

// Messages that show such a text would end at its first NUL: what cannot be typed is refused by itself.
void check_typed(const std::string& text, const std::string& place) {
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw HttpError(400, fmt::format("control characters in {}: {}: leave them out", quote(text), place));
}

// What `read` throws as Error is the client's fault.
template <class Read>
auto as_request(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
}

}  // namespace

Fields::Fields(const HttpRequest& request, std::size_t most_bytes) : Fields(parsed_body(request, most_bytes), "the request's body") {}

Fields::Fields(const json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (!object_.is_object()) throw HttpError(400, fmt::format("no object of keys: {}: got {}", place_, shown(object_)));
}

void Fields::refuse(const std::string& key, const std::string& wanted) const {
  if (!object_.contains(key)) throw HttpError(400, fmt::format("key '{}' is missing: {}: give {}", key, place_, wanted));
  throw HttpError(400, fmt::format("key '{}' is {}: {}: give {}", key, shown(object_.at(key)), place_, wanted));
}

const json& Fields::value(const std::string& key, const char* wanted) {
  if (!has(key)) refuse(key, wanted);
  return object_.at(key);
}

bool Fields::has(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return object_.contains(key) && !object_.at(key).is_null();
}

std::string Fields::text(const std::string& key, std::size_t most_bytes) {
  const json& found = value(key, "a text");
  if (!found.is_string()) refuse(key, "a text");
  std::string result = found.get<std::string>();
  if (result.size() > most_bytes) refuse(key, fmt::format("a text of at most {} bytes", most_bytes));
  return result;
}

std::string Fields::text_or(const std::string& key, const std::string& otherwise, std::size_t most_bytes) { return has(key) ? text(key, most_bytes) : otherwise; }

std::int64_t Fields::whole(const std::string& key, std::int64_t low, std::int64_t high) {
  const std::string wanted = fmt::format("a whole number from {} to {}", low, high);
  const json& found = value(key, wanted.c_str());
  if (!found.is_number_integer()) refuse(key, wanted);
  if (found.is_number_unsigned() && found.get<std::uint64_t>() > static_cast<std::uint64_t>(high)) refuse(key, wanted);
  const auto number = found.get<std::int64_t>();
  if (number < low || number > high) refuse(key, wanted);
  return number;
}

std::int64_t Fields::whole_or(const std::string& key, std::int64_t otherwise, std::int64_t low, std::int64_t high) {
  return has(key) ? whole(key, low, high) : otherwise;
}

bool Fields::flag_or(const std::string& key, bool otherwise) {
  if (!has(key)) return otherwise;
  if (!object_.at(key).is_boolean()) refuse(key, "true or false");
  return object_.at(key).get<bool>();
}

std::vector<std::string> Fields::texts(const std::string& key, std::size_t count, std::size_t most_bytes) {
  const std::string wanted = fmt::format("a list of {} texts", count);
  const json& found = value(key, wanted.c_str());
  if (!found.is_array() || found.size() != count) refuse(key, wanted);
  std::vector<std::string> result;
  for (const json& entry : found) {
    if (!entry.is_string() || entry.get_ref<const std::string&>().size() > most_bytes) refuse(key, wanted);
    result.push_back(entry.get<std::string>());
  }
  return result;
}

Fields Fields::object(const std::string& key) {
  const json& found = value(key, "an object");
  if (!found.is_object()) refuse(key, "an object");
  return {found, fmt::format("key '{}'", key)};
}

std::vector<std::pair<std::string, std::string>> Fields::text_map(const std::string& key, std::size_t most_entries, std::size_t most_bytes) {
  if (!has(key)) return {};
  const std::string wanted = fmt::format("at most {} names with texts", most_entries);
  const json& found = object_.at(key);
  if (!found.is_object() || found.size() > most_entries) refuse(key, wanted);
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, text] : found.items()) {
    if (!text.is_string() || name.size() > most_bytes || text.get_ref<const std::string&>().size() > most_bytes) refuse(key, wanted);
    result.emplace_back(name, text.get<std::string>());
  }
  return result;
}

std::vector<Fields> Fields::objects(const std::string& key, std::size_t most) {
  if (!has(key)) return {};
  const std::string wanted = fmt::format("a list of at most {} objects", most);
  const json& found = object_.at(key);
  const bool fits = found.is_array() && found.size() <= most && std::all_of(found.begin(), found.end(), [](const json& entry) { return entry.is_object(); });
  if (!fits) refuse(key, wanted);
  std::vector<Fields> result;
  for (const json& entry : found) result.emplace_back(entry, fmt::format("key '{}'", key));
  return result;
}

void Fields::done() const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      throw HttpError(400, fmt::format("unknown key {}: {}: {}", quote(key), place_, known_.empty() ? "it takes none" : suggestion(key, known_)));
  }
}

Rules read_rules(const std::string& text) {
  check_typed(text, "rules");
  if (text.starts_with('@')) throw HttpError(400, fmt::format("files are not read here: rules {}: write a preset's name and options after commas", quote(text)));
  return as_request([&] { return parse_rules(text); });
}

Game read_game(Fields& fields) {
  const Rules rules = read_rules(fields.text_or("rules", rule_presets().front().first, 500));
  const bool from_start = !fields.has("start");
  const std::string start = from_start ? "" : fields.text("start", 100);
  const std::string moves = fields.text_or("moves", "", 2 * kMostPlies);
  check_typed(start, "key 'start'");
  check_typed(moves, "key 'moves'");
  if (std::count_if(moves.begin(), moves.end(), [](char c) { return c != '-'; }) > kMostPlies)
    throw HttpError(400, fmt::format("the game is too long: key 'moves': send at most {} plies", kMostPlies));
  return as_request([&] {
    Game game = from_start ? Game(rules) : Game(rules, parse_position(start, rules));
    play_line(game, moves);
    return game;
  });
}

std::string query_text(const HttpRequest& request, const std::string& key) {
  for (const auto& [name, value] : request.query) {
    if (name == key) return value;
  }
  return "";
}

std::int64_t query_number(const HttpRequest& request, const std::string& key, std::int64_t otherwise, std::int64_t low, std::int64_t high) {
  const std::string text = query_text(request, key);
  if (text.empty()) return otherwise;
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < low || number > high)
    throw HttpError(400, fmt::format("{} is {}: the query: give a whole number from {} to {}", quote(key), quote(text), low, high));
  return number;
}

void check_query(const HttpRequest& request, const std::vector<std::string>& known) {
  for (const auto& [name, value] : request.query) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw HttpError(400, fmt::format("unknown key {}: the query: {}", quote(name), known.empty() ? "it takes none" : suggestion(name, known)));
  }
}

}  // namespace wari
