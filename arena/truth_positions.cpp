#include <algorithm>
#include <set>
#include <utility>

#include "arena/match.h"
#include "arena/truth.h"
#include "core/error.h"
#include "core/random.h"
#include "endgame/endgame_rules.h"

namespace wari {
namespace {

constexpr int kGamesDepth = 4;         // of alpha-beta, whose games give positions
constexpr int kGamesOfRound = 400;
constexpr int kRoundsMax = 12;
constexpr Row kOwnerBit = Row{1} << kOwnerShift;
constexpr int kDrawsOfPosition = 4000;  // boards drawn for each position that is wanted, at most

int board_seeds(const Position& position) { return row_seeds(position.mover) + row_seeds(position.opponent); }

// Boards of one number of seeds that were taken.
struct Level {
  std::set<std::pair<Row, Row>> choices, judged;
  int from_games = 0, uniform = 0;
};

class Collector {
 public:
  Collector(const EndgameTable& table, const TruthSettings& settings) : table_(table), settings_(settings), levels_(static_cast<std::size_t>(settings.seeds_high + 1)) {}

  TruthPositions collect() {
    const auto player = make_alphabeta_player(kGamesDepth, settings_.workers);
    for (int round = 0; round < kRoundsMax && !enough_from_games(); ++round) {
      MatchSettings match;
      match.rules = settings_.rules;
      match.games = kGamesOfRound;
      match.opening_plies = 8;
      match.seed = mix64(settings_.seed + static_cast<std::uint64_t>(round));
      std::vector<PlayedGame> games;
      play_match(match, *player, *player, {}, &games);
      for (const PlayedGame& played : games) take_game(played.game);
    }
    for (int seeds = settings_.seeds_low; seeds <= settings_.seeds_high; ++seeds) draw_boards(seeds);
    const auto by_seeds = [](const auto& a, const auto& b) { return board_seeds(a.game.position()) < board_seeds(b.game.position()); };
    std::stable_sort(positions_.choices.begin(), positions_.choices.end(), by_seeds);
    std::stable_sort(positions_.judged.begin(), positions_.judged.end(), by_seeds);
    return std::move(positions_);
  }

 private:
  Level& level(int seeds) { return levels_[static_cast<std::size_t>(seeds)]; }
  int half() const { return (settings_.positions + 1) / 2; }

  bool enough_from_games() {
    for (int seeds = settings_.seeds_low; seeds <= settings_.seeds_high; ++seeds) {
      if (level(seeds).from_games < half() || level(seeds).judged.size() < static_cast<std::size_t>(settings_.positions)) return false;
    }
    return true;
  }

  void take_game(const Game& played) {
    Game game(played.rules(), played.start());
    for (const std::uint8_t action : played.actions()) {
      const int seeds = board_seeds(game.position());
      if (seeds >= settings_.seeds_low && seeds <= settings_.seeds_high) take(game.position(), seeds);
      game.play(action);
    }
  }

  void take(const Position& position, int seeds) {
    Level& at = level(seeds);
    const EndgameValue value = table_.view().value(position);
    if (value.exact && at.judged.size() < static_cast<std::size_t>(settings_.positions) && at.judged.insert({position.mover, position.opponent}).second) {
      const int margin = store_seeds(position.mover) - store_seeds(position.opponent) + value.seeds;
      positions_.judged.push_back({Game(settings_.rules, position), (margin > 0) - (margin < 0)});
    }
    if (at.from_games < half() && add_choice(position, true)) ++at.from_games;
  }

  void draw_boards(int seeds) {
    Level& at = level(seeds);
    const EndgameNumbering& numbering = endgame_numbering();
    const std::uint32_t first = first_board(numbering, seeds), count = first_board(numbering, seeds + 1) - first;
    const int wanted = settings_.positions - at.from_games;
    for (std::uint32_t i = 0; at.uniform < wanted && i < static_cast<std::uint32_t>(wanted) * kDrawsOfPosition; ++i) {
      const std::uint64_t bits = random_bits(settings_.seed, static_cast<std::uint64_t>(seeds), 0, Purpose::endgame_sample, i);
      Position board = numbered_board(numbering, first + random_below(bits, count));
      if ((bits & 1) != 0) board = {board.mover ^ kOwnerBit, board.opponent ^ kOwnerBit};  // North to move
      if (add_choice(board, false)) ++at.uniform;
    }
  }

  // Every move exact, not all the same; then the stores are set so that the best moves just win, or just draw.
  bool add_choice(Position position, bool from_games) {
    std::vector<EndgameMove> moves = endgame_moves(table_, position);
    if (moves.size() < 2 || !std::all_of(moves.begin(), moves.end(), [](const EndgameMove& move) { return move.exact; })) return false;
    const auto less = [](const EndgameMove& a, const EndgameMove& b) { return a.seeds < b.seeds; };
    const auto [worst, best] = std::minmax_element(moves.begin(), moves.end(), less);
    if (worst->seeds == best->seeds && !settings_.equal_moves) return false;
    const int seeds = board_seeds(position);
    if (!level(seeds).choices.insert({position.mover & kPitsMask, position.opponent & kPitsMask}).second) return false;
    const int best_seeds = best->seeds;
    const bool to_win = (mix64((position.mover & kPitsMask) * 31 + (position.opponent & kPitsMask)) & 1) != 0;
    const int stored = settings_.rules.total_seeds() - seeds, difference = (to_win ? 2 : 0) - best_seeds;
    const int mine = (stored + difference) / 2, theirs = stored - mine;
    if (mine < 0 || theirs < 0 || mine >= settings_.rules.majority() || theirs >= settings_.rules.majority()) return false;
    constexpr Row kStore = Row{0xff} << kStoreShift;
    position.mover = (position.mover & ~kStore) | static_cast<Row>(mine) << kStoreShift;
    position.opponent = (position.opponent & ~kStore) | static_cast<Row>(theirs) << kStoreShift;
    positions_.choices.push_back({Game(settings_.rules, position), std::move(moves), best_seeds, from_games});
    return true;
  }

  const EndgameTable& table_;
  const TruthSettings& settings_;
  std::vector<Level> levels_;  // [seeds]
  TruthPositions positions_;
};

}  // namespace

TruthPositions truth_positions(const EndgameTable& table, const TruthSettings& settings) {
  if (!shares_endings(table.rules(), settings.rules))
    throw Error("the endgame table is for '" + rules_name(table.rules()) + "': '" + table.file().string() + "': positions of '" + rules_name(settings.rules) + "' need a table of their own");
  if (settings.seeds_low > settings.seeds_high || settings.seeds_high > table.seeds())
    throw Error("positions of " + std::to_string(settings.seeds_low) + " to " + std::to_string(settings.seeds_high) + " seeds are wanted: '" + table.file().string() + "': it holds up to " +
                std::to_string(table.seeds()) + "; build a larger one with 'wari endgame build --seeds N'");
  return Collector(table, settings).collect();
}

}  // namespace wari
