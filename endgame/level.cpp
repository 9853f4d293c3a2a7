#include "endgame/level.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "endgame/parallel.h"
#include "endgame/predecessors.h"

namespace wari {
namespace {

constexpr std::int8_t kUnknown = 127;
constexpr std::int8_t kNoExit = -128;          // every move stays within the level
constexpr std::size_t kScanChunk = 1 << 14;    // boards
constexpr std::size_t kSpreadChunk = 512;      // boards whose predecessors are told
constexpr std::uint8_t kSplitMove = 0x01;      // of Level::open_moves
constexpr std::uint8_t kHighMove = 0x10;

using Frontier = std::vector<std::uint32_t>;   // boards that got their value in this step, counted from the level's first
using Frontiers = std::vector<Frontier>;       // [worker]

class Level {
 public:
  Level(const LevelSettings& settings, EndgameValues& values, const LevelWatch& watch);
  bool solve();

 private:
  void look_at_moves();
  void look_at(std::uint32_t place, const Position& board);
  void solve_split();
  void solve_bounds();
  template <class Wanted, class Give>
  Frontier scan(const Wanted& wanted, const Give& give);
  template <class Tell>
  Frontier spread(const Frontier& from, const Tell& tell);
  void count(std::uint64_t boards) {
    done_ += boards;
    if (watch_ && !watch_(done_)) stopped_ = true;
  }

  const EndgameNumbering& numbering_ = endgame_numbering();
  EndgameMoves moves_;
  int seeds_;
  int workers_;
  const LevelWatch& watch_;
  EndgameValues& values_;
  std::uint32_t first_;  // number of the level's first board
  std::uint32_t boards_;
  // [boards of the level]
  std::span<std::int8_t> split_, low_, high_;
  std::vector<std::int8_t> split_exit_, low_exit_, high_exit_;  // the best that a capture or the game's end gives, under each way to pay cycles
  std::vector<std::uint8_t> open_moves_;  // quiet moves whose result is not known yet: low half for `split`, high half for `high`
  std::uint64_t done_ = 0;
  bool stopped_ = false;
};

Level::Level(const LevelSettings& settings, EndgameValues& values, const LevelWatch& watch)
    : moves_(settings.rules), seeds_(settings.seeds), workers_(settings.workers), watch_(watch), values_(values),
      first_(first_board(numbering_, seeds_)), boards_(first_board(numbering_, seeds_ + 1) - first_),
      split_exit_(boards_), low_exit_(boards_), high_exit_(boards_), open_moves_(boards_) {
  for (auto [all, level] : {std::pair{&values.split, &split_}, {&values.low, &low_}, {&values.high, &high_}}) {
    all->resize(std::size_t{first_} + boards_, kUnknown);
    *level = std::span(*all).subspan(first_);
  }
}

// What the end of the game or the captures of one board bring, and how many moves stay within the level.
void Level::look_at(std::uint32_t place, const Position& board) {
  const std::uint16_t legal = moves_.legal(board);
  int split = kNoExit, low = kNoExit, high = kNoExit;
  std::uint8_t open = 0;
  if (legal == 0) split = low = high = row_seeds(board.mover) - row_seeds(board.opponent);
  for (std::uint32_t left = legal; left != 0; left &= left - 1) {
    const Move move = moves_.play(board, __builtin_ctz(left));
    const int captured = move.captured;
    if (captured == 0) {
      open += kSplitMove + kHighMove;
      continue;
    }
    if (move.end != End::none) {  // a slam that ends the game: the mover gets all, or the opponent all that is left
      const int value = move.end == End::slam ? seeds_ : captured - (seeds_ - captured);
      split = std::max(split, value);
      low = std::max(low, value);
      high = std::max(high, value);
      continue;
    }
    const std::uint32_t next = board_number(numbering_, move.position);
    const int sign = move.mover_again ? 1 : -1;
    split = std::max(split, captured + sign * values_.split[next]);
    low = std::max(low, captured + sign * (move.mover_again ? values_.low : values_.high)[next]);
    high = std::max(high, captured + sign * (move.mover_again ? values_.high : values_.low)[next]);
  }
  split_exit_[place] = static_cast<std::int8_t>(split);
  low_exit_[place] = static_cast<std::int8_t>(low);
  high_exit_[place] = static_cast<std::int8_t>(high);
  open_moves_[place] = open;
}

void Level::look_at_moves() {
  in_chunks(workers_, boards_, kScanChunk, [this](int, std::size_t begin, std::size_t end) {
    Position board = numbered_board(numbering_, first_ + static_cast<std::uint32_t>(begin));
    for (std::size_t place = begin; place < end; ++place) {
      look_at(static_cast<std::uint32_t>(place), board);
      if (place + 1 < end) board = next_board(board);
    }
  });
  count(boards_);
}

Frontier joined(Frontiers& parts) {
  Frontier all = std::move(parts.front());
  for (std::size_t part = 1; part < parts.size(); ++part) all.insert(all.end(), parts[part].begin(), parts[part].end());
  return all;
}

// Gives a value to every board that is `wanted`.
template <class Wanted, class Give>
Frontier Level::scan(const Wanted& wanted, const Give& give) {
  Frontiers found(static_cast<std::size_t>(workers_));
  in_chunks(workers_, boards_, kScanChunk, [&](int worker, std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      if (!wanted(place)) continue;
      give(place);
      found[static_cast<std::size_t>(worker)].push_back(static_cast<std::uint32_t>(place));
    }
  });
  return joined(found);
}

// Tells all predecessors of `from`; tell(from, predecessor) returns whether the predecessor got its value by that.
template <class Tell>
Frontier Level::spread(const Frontier& from, const Tell& tell) {
  Frontiers found(static_cast<std::size_t>(workers_));
  in_chunks(workers_, from.size(), kSpreadChunk, [&](int worker, std::size_t begin, std::size_t end) {
    Frontier& mine = found[static_cast<std::size_t>(worker)];
    for (std::size_t i = begin; i < end; ++i) {
      for_each_predecessor(moves_, numbered_board(numbering_, first_ + from[i]), [&](const Position& before) {
        const std::uint32_t place = board_number(numbering_, before) - first_;
        if (tell(from[i], place)) mine.push_back(place);
      });
    }
  });
  count(from.size());
  return joined(found);
}

std::int8_t value_now(std::int8_t& value) { return std::atomic_ref(value).load(std::memory_order_relaxed); }

// Whoever comes first gives the value.
bool give_value(std::int8_t& value, int given) {
  std::int8_t unknown = kUnknown;
  return std::atomic_ref(value).compare_exchange_strong(unknown, static_cast<std::int8_t>(given), std::memory_order_relaxed);
}

// One move more is known; returns whether it was the last.
bool close_move(std::uint8_t& open, std::uint8_t unit) {
  return (std::atomic_ref(open).fetch_sub(unit, std::memory_order_relaxed) & (0x0f * unit)) == unit;
}

void Level::solve_split() {
  for (int t = seeds_; t > 0 && !stopped_; --t) {
    const auto lost = [&](std::size_t place) { return split_exit_[place] == -t && (open_moves_[place] & 0x0f) == 0; };
    Frontier frontier = scan([&](std::size_t place) { return split_[place] == kUnknown && (split_exit_[place] == t || lost(place)); },
                             [&](std::size_t place) { split_[place] = static_cast<std::int8_t>(split_exit_[place]); });
    while (!frontier.empty() && !stopped_) {
      frontier = spread(frontier, [&](std::uint32_t board, std::uint32_t before) {
        if (value_now(split_[board]) < 0) return give_value(split_[before], t);
        return close_move(open_moves_[before], kSplitMove) && split_exit_[before] <= -t && give_value(split_[before], -t);
      });
    }
  }
  std::replace(split_.begin(), split_.end(), kUnknown, std::int8_t{0});
}

// One game in which every cycle pays one player, here called the favoured: `high` where the favoured is to move, `low` where the other is. The other must win
// what there is to win by force, so values are given from the other's best, t, downwards.
void Level::solve_bounds() {
  for (int t = seeds_; t > -seeds_ && !stopped_; --t) {
    Frontier low = scan([&](std::size_t place) { return low_[place] == kUnknown && low_exit_[place] == t; },
                        [&](std::size_t place) { low_[place] = static_cast<std::int8_t>(t); });
    Frontier high = scan([&](std::size_t place) { return high_[place] == kUnknown && high_exit_[place] == -t && (open_moves_[place] & 0xf0) == 0; },
                         [&](std::size_t place) { high_[place] = static_cast<std::int8_t>(-t); });
    while (!(low.empty() && high.empty()) && !stopped_) {
      Frontier next_high = spread(low, [&](std::uint32_t, std::uint32_t before) {
        return close_move(open_moves_[before], kHighMove) && high_exit_[before] <= -t && give_value(high_[before], -t);
      });
      low = spread(high, [&](std::uint32_t, std::uint32_t before) { return give_value(low_[before], t); });
      high = std::move(next_high);
    }
  }
  std::replace(low_.begin(), low_.end(), kUnknown, static_cast<std::int8_t>(-seeds_));
  std::replace(high_.begin(), high_.end(), kUnknown, static_cast<std::int8_t>(seeds_));
}

bool Level::solve() {
  look_at_moves();
  if (!stopped_) solve_split();
  if (!stopped_) solve_bounds();
  if (!stopped_) return true;
  for (auto* all : {&values_.split, &values_.low, &values_.high}) all->resize(first_);
  return false;
}

}  // namespace

bool solve_level(const LevelSettings& settings, EndgameValues& values, const LevelWatch& watch) { return Level(settings, values, watch).solve(); }

}  // namespace wari
