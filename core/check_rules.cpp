#include "core/check_rules.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/game.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/perft.h"
#include "core/rules_files.h"

namespace wari {
namespace {

using nlohmann::json;

// One line of a file, with what its checks need: typed fields, its place for errors, the report for mismatches.
class Line {
 public:
  Line(const std::filesystem::path& file, int number, json object, RulesReport& report)
      : file_(file.string()), number_(number), object_(std::move(object)), report_(report), rules_(rules_from_json(field<json>(object_, "rules"), place())) {}

  const Rules& rules() const { return rules_; }
  const json& object() const { return object_; }
  std::string place() const { return fmt::format("{}:{}", file_, number_); }

  template <class T>
  T get(const char* key) const { return field<T>(object_, key); }

  template <class T>
  T field(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) throw Error(fmt::format("key '{}' is missing: {}: see docs/rules.md for the formats", key, place()));
    try {
      return object.at(key).get<T>();
    } catch (const json::exception&) {
      throw Error(fmt::format("key '{}' has a value of another type, {}: {}: see docs/rules.md for the formats", key, quote(object.at(key).dump()), place()));
    }
  }

  Position position(const char* key) const {
    try {
      return parse_position(get<std::string>(key), rules_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", place(), error.what()));
    }
  }

  template <class T>
  void expect(const std::string& what, const T& expected, const T& got) {
    if (expected != got) mismatch(what, json(expected).dump(), json(got).dump());
  }
  void mismatch(const std::string& what, const std::string& expected, const std::string& got) { report_.mismatches.push_back({file_, number_, what, expected, got}); }

 private:
  std::string file_;
  int number_;
  json object_;
  RulesReport& report_;
  Rules rules_;
};

void check_stores(Line& line, const std::string& what, const json& object, const Game& game) {
  const auto expected = line.field<std::vector<double>>(object, "stores");
  const SideStores got = side_stores(game);
  if (expected.size() == 2 && expected[0] * 2 == got.south_half_seeds && expected[1] * 2 == got.north_half_seeds) return;
  line.mismatch(what, json(expected).dump(), json({got.south_half_seeds / 2.0, got.north_half_seeds / 2.0}).dump());
}

std::vector<std::string> action_texts(const Position& position, std::uint16_t legal) {
  std::vector<std::string> texts;
  for (int action = 0; action < kActions; ++action) {
    if ((legal >> action) & 1) texts.push_back(move_text(position, action));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

void check_perft(Line& line) {
  const Position position = line.position("position");
  const auto expected = line.get<std::vector<std::uint64_t>>("perft");
  for (std::size_t ply = 0; ply < expected.size(); ++ply) {
    line.expect(fmt::format("perft {}", ply + 1), expected[ply], perft(line.rules(), position, static_cast<int>(ply) + 1));
  }
}

// One entry of `after`.
void check_after(Line& line, const Game& before, const json& after) {
  const auto text = line.field<std::string>(after, "move");
  const bool over = line.field<bool>(after, "over");
  Game game = before;
  try {
    game.play(parse_move(game, text));
  } catch (const Error& error) {
    return line.mismatch(fmt::format("after {}", text), "a legal move", error.what());
  }
  line.expect(fmt::format("after {}: over", text), over, game.is_over());
  const json position = line.field<json>(after, "position");
  if (!position.is_null() && !position.is_string()) throw Error(fmt::format("'position' after {} is neither text nor null: {}: see docs/rules.md for the formats", quote(text), line.place()));
  line.expect(fmt::format("after {}: position", text), position, game.is_over() ? json() : json(position_text(game.position())));
  check_stores(line, fmt::format("after {}: stores", text), after, game);
}

void check_moves(Line& line) {
  const Game game(line.rules(), line.position("position"));
  auto expected = line.get<std::vector<std::string>>("legal");
  std::sort(expected.begin(), expected.end());
  line.expect("legal", expected, action_texts(game.position(), game.legal()));
  if (expected.empty()) {
    line.expect("over", line.get<bool>("over"), game.is_over());
    return check_stores(line, "stores", line.object(), game);
  }
  for (const json& after : line.get<std::vector<json>>("after")) check_after(line, game, after);
}

void check_game(Line& line) {
  Game game(line.rules(), line.position("start"));
  const auto moves = line.get<std::string>("moves");
  const auto plies = line.get<int>("plies");
  const auto ended = line.object().contains("ended") ? line.get<std::string>("ended") : std::string();
  if (!ended.empty() && ended != "table" && ended != "resigned" && ended != "limit") {
    throw Error(fmt::format("unknown end {}: {}: {}", quote(ended), line.place(), suggestion(ended, {"table", "resigned", "limit"})));
  }
  try {
    play_line(game, moves);
  } catch (const Error& error) {
    return line.mismatch("moves", "a legal line", error.what());
  }
  line.expect("plies", plies, game.plies());
  line.expect("over", ended.empty(), game.is_over());
  check_stores(line, "stores", line.object(), game);
}

void check_alphabeta(Line& line, const AlphaBetaOracle& alphabeta) {
  const Position position = line.position("position");
  const AlphaBetaAnswer answer = alphabeta(line.rules(), position, line.get<int>("depth"));
  line.expect("value", line.get<int>("value"), answer.value);
  auto expected = line.get<std::vector<std::string>>("best");
  std::sort(expected.begin(), expected.end());
  std::uint16_t best = 0;
  for (const int action : answer.best) best = static_cast<std::uint16_t>(best | 1 << action);
  line.expect("best", expected, action_texts(position, best));
}

void check_line(Line& line, const AlphaBetaOracle& alphabeta) {
  if (line.object().contains("perft")) return check_perft(line);
  if (line.object().contains("legal")) return check_moves(line);
  if (line.object().contains("moves")) return check_game(line);
  if (line.object().contains("depth")) return check_alphabeta(line, alphabeta);
  throw Error(fmt::format("none of 'perft', 'legal', 'moves', 'depth' is there: {}: see docs/rules.md for the formats", line.place()));
}

json parse_object(const std::string& text, const std::string& place) {
  try {
    json object = json::parse(text);
    if (object.is_object()) return object;
  } catch (const json::exception&) {
    throw Error(fmt::format("not JSON: {}: write one JSON object a line", place));
  }
  throw Error(fmt::format("not a JSON object: {}: write one JSON object a line", place));
}

}  // namespace

void check_rules_file(const std::filesystem::path& file, const AlphaBetaOracle& alphabeta, RulesReport& report) {
  std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file) || !stream) throw Error(fmt::format("cannot read '{}': no such file, or not for us to read: give a file of examples (docs/rules.md)", file.string()));
  std::string text;
  int number = 0;
  bool found = false;
  while (std::getline(stream, text)) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    Line line(file, number, parse_object(text, fmt::format("{}:{}", file.string(), number)), report);
    check_line(line, alphabeta);
    ++report.checked;
    found = true;
  }
  if (!found) throw Error(fmt::format("no examples: '{}' is empty: write one JSON object a line", file.string()));
}

}  // namespace wari
