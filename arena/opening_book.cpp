#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <sstream>
#include <thread>

#include "arena/openings.h"
#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "search/alphabeta.h"

namespace wari {
namespace {

// "FfEb", "4-4-...-S", or "4-4-...-S FfEb".
Game read_opening(const std::string& text, const Rules& rules) {
  std::istringstream words(text);
  std::string first, second, more;
  words >> first >> second >> more;
  if (!more.empty()) throw Error("more than a position and moves: " + quote(more) + ": put one opening in a line");
  const bool is_position = std::isdigit(static_cast<unsigned char>(first.front())) != 0;
  if (!is_position && !second.empty()) throw Error("moves in two words: " + quote(second) + ": write them as one, or a position before them");
  Game game = is_position ? Game(rules, parse_position(first, rules)) : Game(rules);
  play_line(game, is_position ? second : first);
  if (game.is_over()) throw Error("the game is over there: " + quote(text) + ": leave this opening out");
  return game;
}

// Values for the player to move, store difference and all, by as many threads as asked for.
std::vector<int> values_of(const std::vector<Game>& lines, int depth, int workers) {
  std::vector<int> values(lines.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    AlphaBeta searcher;
    for (std::size_t i = next++; i < lines.size(); i = next++) values[i] = searcher.search(lines[i], depth).value;
  };
  std::vector<std::jthread> threads;
  for (int worker = 1; worker < workers; ++worker) threads.emplace_back(work);
  work();
  threads.clear();
  return values;
}

}  // namespace

OpeningBook read_openings(const std::filesystem::path& file, const Rules& rules) {
  const std::string bytes = read_whole_file(file);
  OpeningBook book;
  book.name = fmt::format("file {} ({})", file.filename().string(), content_hash(bytes).substr(0, 8));
  std::istringstream lines(bytes);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      book.lines.push_back(read_opening(line, rules));
    } catch (const Error& error) {
      throw Error(fmt::format("no opening: {}:{}: {}", file.string(), number, error.what()));
    }
  }
  if (book.lines.empty()) throw Error("no openings: " + quote(file.string()) + ": put one line of moves or one position in each line");
  return book;
}

OpeningBook balanced_openings(const Rules& rules, int plies, const BalanceSettings& balance, int workers) {
  const std::vector<Game> lines = all_lines(rules, plies);
  if (lines.empty()) throw Error(fmt::format("too many openings to look at, or none: '{}' plies under '{}': give fewer plies", plies, rules_name(rules)));
  const std::vector<int> values = values_of(lines, balance.depth, workers);
  OpeningBook book;
  book.name = fmt::format("balanced {} plies, depth {} within {}", plies, balance.depth, balance.max_seeds);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::abs(values[i]) <= balance.max_seeds) book.lines.push_back(lines[i]);
  }
  if (book.lines.empty()) {
    throw Error(fmt::format("no opening is level: '{}' plies under '{}', depth {}: allow more than {} seeds, or give other plies", plies, rules_name(rules),
                            balance.depth, balance.max_seeds));
  }
  return book;
}

}  // namespace wari
