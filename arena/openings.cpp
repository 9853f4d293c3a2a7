#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "arena/match.h"
#include "arena/openings.h"
#include "core/error.h"
#include "core/notation.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr std::size_t kMaxListed = 20000;  // lines that are listed rather than drawn

// All unfinished lines of `plies` moves; false if there are more than can be listed.
bool list_lines(const Game& game, int plies, std::vector<Game>& lines) {
  if (game.is_over()) return true;
  if (plies == 0) {
    lines.push_back(game);
    return lines.size() <= kMaxListed;
  }
  for (int action : legal_list(game)) {
    Game next = game;
    next.play(action);
    if (!list_lines(next, plies - 1, lines)) return false;
  }
  return true;
}

// In random order, lines to new positions first, so that few pairs play the same game; from the beginning again once all are used.
std::vector<Game> openings_from_list(const std::vector<Game>& lines, std::size_t pairs, std::uint64_t seed) {
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto draw = [&](std::size_t line) { return random_bits(seed, line, 0, Purpose::match_opening, 0); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::pair(draw(a), a) < std::pair(draw(b), b); });
  std::set<std::string> positions;
  std::stable_partition(order.begin(), order.end(), [&](std::size_t line) { return positions.insert(position_text(lines[line].position())).second; });
  std::vector<Game> openings;
  for (std::size_t pair = 0; pair < pairs; ++pair) openings.push_back(lines[order[pair % order.size()]]);
  return openings;
}

// One random line; over early if the game ends on the way.
Game draw_line(const MatchSettings& settings, std::uint64_t pair, std::uint32_t attempt) {
  Game game(settings.rules);
  for (int ply = 0; ply < settings.opening_plies && !game.is_over(); ++ply) {
    const std::vector<int> actions = legal_list(game);
    const std::uint64_t bits = random_bits(settings.seed, pair, static_cast<std::uint32_t>(ply), Purpose::match_opening, attempt);
    game.play(actions[random_below(bits, static_cast<std::uint32_t>(actions.size()))]);
  }
  return game;
}

[[noreturn]] void no_opening(const MatchSettings& settings) {
  throw Error("no opening: all lines of " + std::to_string(settings.opening_plies) + " plies end the game under '" + rules_name(settings.rules) +
              "': give fewer opening plies");
}

std::vector<Game> drawn_openings(const MatchSettings& settings, std::size_t pairs) {
  constexpr std::uint32_t kAttempts = 1000;
  std::set<std::string> lines;
  std::vector<Game> openings;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::vector<Game> unfinished;
    for (std::uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
      Game game = draw_line(settings, pair, attempt);
      if (game.is_over()) continue;
      unfinished.assign(1, game);
      if (lines.insert(line_text(game)).second) break;
    }
    if (unfinished.empty()) no_opening(settings);
    openings.push_back(unfinished.front());
  }
  return openings;
}

}  // namespace

std::vector<Game> all_lines(const Rules& rules, int plies) {
  std::vector<Game> lines;
  if (!list_lines(Game(rules), plies, lines)) lines.clear();
  return lines;
}

std::vector<Game> match_openings(const MatchSettings& settings) {
  const auto pairs = static_cast<std::size_t>(settings.games / 2);
  if (!settings.book.lines.empty()) return openings_from_list(settings.book.lines, pairs, settings.seed);
  std::vector<Game> lines;
  if (!list_lines(Game(settings.rules), settings.opening_plies, lines)) return drawn_openings(settings, pairs);
  if (lines.empty()) no_opening(settings);
  return openings_from_list(lines, pairs, settings.seed);
}

std::string openings_name(const MatchSettings& settings) {
  return settings.book.lines.empty() ? "random " + std::to_string(settings.opening_plies) + " plies" : settings.book.name;
}

}  // namespace wari
