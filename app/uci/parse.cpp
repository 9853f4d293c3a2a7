#include "app/uci/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"

namespace wari {
namespace {

constexpr std::int64_t kMostMs = 1'000'000'000;  // eleven days

using Words = std::vector<std::string>;

// The words from `begin` up to the next one of `stops`, which `begin` is set to.
Words take_until(const Words& words, std::size_t& begin, std::initializer_list<std::string_view> stops) {
  Words taken;
  while (begin < words.size() && std::find(stops.begin(), stops.end(), words[begin]) == stops.end()) taken.push_back(words[begin++]);
  return taken;
}

std::string joined(const Words& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// Negative times happen: a clock that has run out.
std::chrono::milliseconds parse_ms(const std::string& text, const std::string& key) {
  return std::chrono::milliseconds(std::max<std::int64_t>(0, parse_uci_number(text, -kMostMs, kMostMs, "go " + key)));
}

bool is_go_keyword(const std::string& word) {
  static const Words keywords = {"movetime", "depth", "nodes", "wtime", "btime", "winc", "binc", "movestogo", "infinite", "ponder", "mate", "searchmoves"};
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

// A keyword that is followed by a number.
void take_number(UciGo& go, const std::string& key, const std::string& value) {
  constexpr std::int64_t kMostNodes = 1'000'000'000'000;
  if (key == "movetime") go.movetime = parse_ms(value, key);
  else if (key == "depth") go.depth = static_cast<int>(parse_uci_number(value, 1, 1'000'000'000, "go depth"));
  else if (key == "nodes") go.nodes = parse_uci_number(value, 1, kMostNodes, "go nodes");
  else if (key == "wtime") go.south.left = parse_ms(value, key);
  else if (key == "btime") go.north.left = parse_ms(value, key);
  else if (key == "winc") go.south.increment = parse_ms(value, key);
  else if (key == "binc") go.north.increment = parse_ms(value, key);
  else if (key == "movestogo") go.moves_to_go = static_cast<int>(parse_uci_number(value, 0, 1'000'000, "go movestogo"));
  else go.ignored.push_back(key);  // mate
}

}  // namespace

std::int64_t parse_uci_number(const std::string& text, std::int64_t low, std::int64_t high, const std::string& what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw Error(fmt::format("bad number {}: {}: give a whole number from {} to {}", quote(text), what, low, high));
  return value;
}

std::vector<std::string> uci_words(std::string_view line) {
  Words words;
  bool in_word = false;
  for (const char c : line) {
    const bool visible = static_cast<unsigned char>(c) > 32 && c != 127;
    if (visible && !in_word) words.emplace_back();
    if (visible) words.back() += c;
    in_word = visible;
  }
  return words;
}

UciGo parse_go(const std::vector<std::string>& words) {
  UciGo go;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& key = words[at];
    if (key == "infinite") {
      go.infinite = true;
    } else if (key == "ponder") {
      go.ponder = true;
    } else if (key == "searchmoves") {
      go.ignored.push_back(key);
      while (at + 1 < words.size() && !is_go_keyword(words[at + 1])) ++at;
    } else if (!is_go_keyword(key)) {
      throw Error("unknown word " + quote(key) + ": go: known are movetime, depth, nodes, wtime, btime, winc, binc, movestogo, infinite and ponder");
    } else if (at + 1 == words.size()) {
      throw Error("a number is missing: go " + key + ": write 'go " + key + " N'");
    } else {
      take_number(go, key, words[++at]);
    }
  }
  return go;
}

Game parse_uci_position(const std::vector<std::string>& words, const Rules& rules) {
  const std::string first = words.empty() ? "" : words[0];
  if (first != "startpos" && first != "fen")
    throw Error("bad position " + quote(joined(words, " ")) + ": position: write 'position startpos' or 'position fen P', then maybe 'moves LINE'");
  std::size_t at = 1;
  const Words fen = take_until(words, at, {"moves"});
  if (first == "startpos" && !fen.empty()) throw Error("unknown word " + quote(fen[0]) + ": position startpos: 'moves LINE' may follow");
  Game game = first == "fen" ? Game(rules, parse_position(joined(fen, "-"), rules)) : Game(rules);
  if (at < words.size()) play_line(game, joined(Words(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()), ""));
  return game;
}

UciOption parse_setoption(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "name") throw Error("a name is missing: setoption: write 'setoption name NAME value VALUE'");
  std::size_t at = 1;
  UciOption option;
  option.name = joined(take_until(words, at, {"value"}), " ");
  if (option.name.empty()) throw Error("a name is missing: setoption: write 'setoption name NAME value VALUE'");
  if (at < words.size()) option.value = joined(Words(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()), " ");
  return option;
}

}  // namespace wari
