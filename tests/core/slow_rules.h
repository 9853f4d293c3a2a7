#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/game.h"
#include "core/notation.h"

// The rules once more, written from docs/rules.md with arrays and no cleverness: what the fast functions are compared with.
namespace wari::slow {

struct Board {
  std::vector<int> pits = std::vector<int>(12, 0);  // A..F, a..f
  int stores[2] = {0, 0};
  int side = 0;  // 0 South
  bool operator<(const Board& other) const { return pits < other.pits; }
};

inline Board board_of(const Position& position) {
  Board board;
  board.side = north_moves(position) ? 1 : 0;
  const Row rows[2] = {board.side == 0 ? position.mover : position.opponent, board.side == 0 ? position.opponent : position.mover};
  for (int pit = 0; pit < 12; ++pit) board.pits[static_cast<std::size_t>(pit)] = pit_seeds(rows[pit / 6], pit % 6);
  for (int side = 0; side < 2; ++side) board.stores[side] = store_seeds(rows[side]);
  return board;
}

inline std::string text_of(const Board& board) {
  std::string text;
  for (const int seeds : board.pits) text += std::to_string(seeds) + "-";
  return text + std::to_string(board.stores[0]) + "-" + std::to_string(board.stores[1]) + (board.side == 0 ? "-S" : "-N");
}

inline bool in_row(int pit, int side) { return pit / 6 == side; }

inline int row_sum(const Board& board, int side) {
  int sum = 0;
  for (int pit = 6 * side; pit < 6 * side + 6; ++pit) sum += board.pits[static_cast<std::size_t>(pit)];
  return sum;
}

// One lap from `pit`; returns where the last seed fell.
inline int lap(std::vector<int>& pits, int pit) {
  int seeds = pits[static_cast<std::size_t>(pit)];
  pits[static_cast<std::size_t>(pit)] = 0;
  int place = pit;
  while (seeds > 0) {
    place = (place + 1) % 12;
    if (place == pit) continue;
    ++pits[static_cast<std::size_t>(place)];
    --seeds;
  }
  return place;
}

struct Sown {
  Board board;             // before any capture
  std::vector<int> run;    // pits that would be captured, the last seed's first
  bool endless = false;
  bool feeds = false;
  bool slam = false;
};

inline std::vector<int> capture_run(const Board& board, int last) {
  std::vector<int> run;
  for (int pit = last; pit >= 0 && in_row(pit, 1 - board.side); --pit) {
    const int seeds = board.pits[static_cast<std::size_t>(pit)];
    if (seeds != 2 && seeds != 3) break;
    run.push_back(pit);
  }
  return run;
}

inline Sown sow(const Rules& rules, const Board& before, int pit) {
  Sown sown;
  sown.board = before;
  int last = lap(sown.board.pits, pit);
  const auto seeds_at = [&](int place) { return sown.board.pits[static_cast<std::size_t>(place)]; };
  if (rules.laps == Laps::two && seeds_at(last) > 1) last = lap(sown.board.pits, last);
  if (rules.laps == Laps::relay || rules.laps == Laps::relay_until_capture) {
    std::set<std::pair<std::vector<int>, int>> seen;
    while (seeds_at(last) > 1) {
      if (rules.laps == Laps::relay_until_capture && !capture_run(sown.board, last).empty()) break;
      if (!seen.insert({sown.board.pits, last}).second) {
        sown.endless = true;
        return sown;
      }
      last = lap(sown.board.pits, last);
    }
  }
  sown.run = capture_run(sown.board, last);
  sown.feeds = row_sum(sown.board, 1 - before.side) > 0;
  int in_run = 0;
  for (const int captured : sown.run) in_run += seeds_at(captured);
  sown.slam = in_run > 0 && in_run == row_sum(sown.board, 1 - before.side);
  return sown;
}

// The pits really captured.
inline std::vector<int> captures(const Rules& rules, const Sown& sown) {
  std::vector<int> pits = sown.run;
  if (!sown.slam) return pits;
  if (rules.grand_slam == GrandSlam::captures_nothing) return {};
  if (rules.grand_slam == GrandSlam::spares_last) pits.erase(pits.begin());
  if (rules.grand_slam == GrandSlam::spares_first) pits.pop_back();
  return pits;
}

struct Action {
  int pit;  // 0..11
  bool declined;
  bool operator==(const Action&) const = default;
};

inline std::vector<Action> legal(const Rules& rules, const Board& board) {
  const bool must_feed = row_sum(board, 1 - board.side) == 0;
  std::vector<Action> possible, slams, feeding;
  for (int pit = 6 * board.side; pit < 6 * board.side + 6; ++pit) {
    if (board.pits[static_cast<std::size_t>(pit)] == 0) continue;
    const Sown sown = sow(rules, board, pit);
    if (sown.endless) continue;
    if (sown.slam && rules.grand_slam == GrandSlam::forbidden_unless_only) {
      slams.push_back({pit, false});
    } else if (!(sown.slam && rules.grand_slam == GrandSlam::forbidden)) {
      possible.push_back({pit, false});
      if (sown.feeds) feeding.push_back({pit, false});
    }
    if (rules.capture == Capture::optional && !captures(rules, sown).empty()) {
      possible.push_back({pit, true});
      feeding.push_back({pit, true});
    }
  }
  if (!must_feed) return possible.empty() ? slams : possible;
  if (!feeding.empty()) return feeding;
  if (!slams.empty()) return slams;  // a slam leaves seeds there before it captures: it feeds
  return rules.no_feeding_move == NoFeedingMove::plays_on ? possible : std::vector<Action>{};
}

struct After {
  Board board;
  bool over = false;
  int half_stores[2] = {0, 0};  // final if over
};

inline void take_rows(const Board& board, int half_stores[2]) {
  for (int side = 0; side < 2; ++side) half_stores[side] = 2 * (board.stores[side] + row_sum(board, side));
}

inline After play(const Rules& rules, const Board& before, const Action& action) {
  const Sown sown = sow(rules, before, action.pit);
  After after;
  after.board = sown.board;
  if (!action.declined) {
    for (const int pit : captures(rules, sown)) {
      after.board.stores[before.side] += after.board.pits[static_cast<std::size_t>(pit)];
      after.board.pits[static_cast<std::size_t>(pit)] = 0;
    }
  }
  const bool slam = sown.slam && !action.declined;
  take_rows(after.board, after.half_stores);
  after.over = true;
  if (slam && rules.grand_slam == GrandSlam::forbidden_unless_only) return after;
  if (slam && rules.grand_slam == GrandSlam::opponent_takes_rest) {
    after.half_stores[before.side] = 2 * after.board.stores[before.side];
    after.half_stores[1 - before.side] = 2 * (12 * rules.seeds_per_pit - after.board.stores[before.side]);
    return after;
  }
  if (after.board.stores[before.side] > 6 * rules.seeds_per_pit) {
    for (int side = 0; side < 2; ++side) after.half_stores[side] = 2 * after.board.stores[side];
    return after;
  }
  if (!(slam && rules.grand_slam == GrandSlam::moves_again)) after.board.side = 1 - before.side;
  after.over = legal(rules, after.board).empty();
  return after;
}

}  // namespace wari::slow
