#include "search/alphabeta.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/moves.h"
#include "search/alphabeta_path.h"
#include "search/alphabeta_table.h"

namespace wari {

namespace {

constexpr int kInfinite = 4 * kAlphaBetaWin;
constexpr int kTableDepth = 3;  // least depth that is worth a look at the table: below, a miss of the cache costs more than the moves

int store_difference(const Position& position) { return store_seeds(position.mover) - store_seeds(position.opponent); }

// Of a finished game, for the player whose turn it would be. Halves are split evenly, so the difference is whole.
int final_value(const Rules& rules, const Position& position, End end) {
  const FinalStores stores = final_stores(rules, position, end);
  const int difference = (stores.mover_half_seeds - stores.opponent_half_seeds) / 2;
  return difference + (difference > 0 ? kAlphaBetaWin : difference < 0 ? -kAlphaBetaWin : 0);
}

}  // namespace

class AlphaBeta::Searcher {
 public:
  explicit Searcher(std::size_t table_bytes) : table_(table_bytes) {}
  AlphaBetaResult search(const Game& game, int depth);

 private:
  struct Child {
    Move move;
    int action;
    int quiet;
    int order;  // greater is tried sooner
  };
  struct RootMove {
    int action;
    int value;  // of the last iteration, or a bound
  };

  int look(const Position& position, std::uint16_t legal, int place, int quiet, int depth, int alpha, int beta);
  int look_one_move(const Position& position, std::uint16_t legal, int place, int quiet, int alpha, int beta);
  int child_value(const Child& child, int place, int depth, int alpha, int beta);
  Child make_child(const Position& position, int action, int quiet);
  int list_children(const Position& position, std::uint16_t actions, int quiet, int place, int depth, Child* children);
  void remember_cutoff(const Position& position, int action, int place, int depth);
  void search_root(const Game& game, int depth, std::vector<RootMove>& moves, bool all_best);

  TranspositionTable table_;
  SearchPath path_;
  Rules rules_;
  bool has_rules_ = false;
  std::uint64_t nodes_ = 0;
  int root_place_ = 0;
  std::array<std::array<std::int8_t, 2>, kAlphaBetaMaxDepth + 2> killers_{};  // [plies from the root, 2] actions that cut off there
  std::array<std::array<std::int32_t, kActions>, 2> history_{};               // [owner, action] how often and how deep an action cut off
};

AlphaBeta::Searcher::Child AlphaBeta::Searcher::make_child(const Position& position, int action, int quiet) {
  ++nodes_;
  Child child;
  child.move = play(sowing_tables(), rules_, position, action);
  child.action = action;
  child.quiet = child.move.captured > 0 ? 0 : quiet + 1;
  child.order = 0;
  return child;
}

// For the player who made the move. `place` and `depth` are the parent's.
int AlphaBeta::Searcher::child_value(const Child& child, int place, int depth, int alpha, int beta) {
  const Move& move = child.move;
  const End end = move.end != End::none ? move.end : path_.put(place + 1, move.position, child.quiet);
  int value = 0;
  if (end != End::none) {
    value = final_value(rules_, move.position, end);
  } else if (depth == 1) {
    value = store_difference(move.position);
  } else if (move.mover_again) {
    return look(move.position, move.legal, place + 1, child.quiet, depth - 1, alpha, beta);
  } else {
    return -look(move.position, move.legal, place + 1, child.quiet, depth - 1, -beta, -alpha);
  }
  return move.mover_again ? value : -value;
}

int AlphaBeta::Searcher::look_one_move(const Position& position, std::uint16_t legal, int place, int quiet, int alpha, int beta) {
  int best = -kInfinite;
  for (unsigned left = legal; left != 0; left &= left - 1) {
    const Child child = make_child(position, __builtin_ctz(left), quiet);
    best = std::max(best, child_value(child, place, 1, alpha, beta));
    if (best >= beta) break;
  }
  return best;
}

// In the order in which they are to be tried.
int AlphaBeta::Searcher::list_children(const Position& position, std::uint16_t actions, int quiet, int place, int depth, Child* children) {
  const auto& killers = killers_[static_cast<std::size_t>(place - root_place_)];
  const auto& history = history_[north_moves(position) ? 1 : 0];
  int count = 0;
  for (unsigned left = actions; left != 0; left &= left - 1) {
    Child child = make_child(position, __builtin_ctz(left), quiet);
    if (depth > kTableDepth) table_.prefetch(position_hash(child.move.position));
    child.order = child.move.captured << 24;
    if (child.action == killers[0]) child.order += 2 << 22;
    if (child.action == killers[1]) child.order += 1 << 22;
    child.order += history[static_cast<std::size_t>(child.action)];
    int at = count++;
    for (; at > 0 && children[at - 1].order < child.order; --at) children[at] = children[at - 1];
    children[at] = child;
  }
  return count;
}

void AlphaBeta::Searcher::remember_cutoff(const Position& position, int action, int place, int depth) {
  auto& killers = killers_[static_cast<std::size_t>(place - root_place_)];
  if (killers[0] != action) {
    killers[1] = killers[0];
    killers[0] = static_cast<std::int8_t>(action);
  }
  auto& history = history_[north_moves(position) ? 1 : 0];
  history[static_cast<std::size_t>(action)] += depth * depth;
  if (history[static_cast<std::size_t>(action)] >= 1 << 21) {
    for (auto& count : history) count /= 2;
  }
}

// Principal variation search, fail-soft: a value at or below alpha is an upper bound, at or above beta a lower bound, else exact.
int AlphaBeta::Searcher::look(const Position& position, std::uint16_t legal, int place, int quiet, int depth, int alpha, int beta) {
  if (depth == 1) return look_one_move(position, legal, place, quiet, alpha, beta);
  const bool use_table = depth >= kTableDepth;
  const std::uint64_t key = use_table ? position_hash(position) + path_.signature(place, quiet, depth) : 0;
  int first = -1;
  if (const TableEntry* entry = use_table ? table_.find(key) : nullptr) {
    if (entry->depth == depth) {
      const bool low_enough = entry->bound != Bound::lower && entry->value <= alpha;
      const bool high_enough = entry->bound != Bound::upper && entry->value >= beta;
      if (entry->bound == Bound::exact || low_enough || high_enough) return entry->value;
    }
    if (entry->move >= 0 && ((legal >> entry->move) & 1) != 0) first = entry->move;
  }
  int best = -kInfinite, best_action = -1, low = alpha;
  const auto consider = [&](const Child& child) {
    int value = 0;
    if (best_action < 0 || beta - low <= 1) {
      value = child_value(child, place, depth, low, beta);
    } else {
      value = child_value(child, place, depth, low, low + 1);
      if (value > low && value < beta) value = child_value(child, place, depth, value - 1, beta);
    }
    if (value > best || best_action < 0) {
      best = value;
      best_action = child.action;
      low = std::max(low, value);
    }
    return best >= beta;
  };
  bool cut = first >= 0 && consider(make_child(position, first, quiet));
  if (!cut) {
    Child children[kActions];
    const auto others = static_cast<std::uint16_t>(first >= 0 ? legal & ~(1 << first) : legal);
    const int count = list_children(position, others, quiet, place, depth, children);
    for (int i = 0; i < count && !cut; ++i) cut = consider(children[i]);
  }
  if (cut) remember_cutoff(position, best_action, place, depth);
  if (use_table) table_.store(key, depth, best, cut ? Bound::lower : best <= alpha ? Bound::upper : Bound::exact, best_action);
  return best;
}

// Leaves the moves in order of value. With `all_best` every move of the best value has exactly that value, and every other a smaller number.
void AlphaBeta::Searcher::search_root(const Game& game, int depth, std::vector<RootMove>& moves, bool all_best) {
  int best = -kInfinite;
  for (RootMove& root_move : moves) {
    const Child child = make_child(game.position(), root_move.action, game.quiet_plies());
    if (best == -kInfinite) {
      best = root_move.value = child_value(child, root_place_, depth, -kInfinite, kInfinite);
      continue;
    }
    const int above = best + 1;
    root_move.value = child_value(child, root_place_, depth, all_best ? best - 1 : best, above);
    if (root_move.value >= above) root_move.value = child_value(child, root_place_, depth, best, kInfinite);
    best = std::max(best, root_move.value);
  }
  std::stable_sort(moves.begin(), moves.end(), [](const RootMove& a, const RootMove& b) { return a.value > b.value; });
}

AlphaBetaResult AlphaBeta::Searcher::search(const Game& game, int depth) {
  if (depth < 0 || depth > kAlphaBetaMaxDepth)
    throw Error("depth out of range: alpha-beta of " + std::to_string(depth) + " moves: give 0 to " + std::to_string(kAlphaBetaMaxDepth));
  if (!has_rules_ || !(rules_ == game.rules())) table_.clear();
  rules_ = game.rules();
  has_rules_ = true;
  nodes_ = 0;
  AlphaBetaResult result;
  result.depth = depth;
  if (game.is_over() || depth == 0) {
    result.value = game.is_over() ? final_value(rules_, game.position(), game.end()) : store_difference(game.position());
    return result;
  }
  table_.new_search();
  const std::vector<Position> since_capture = game.since_capture();
  path_.reset(rules_, since_capture, depth);
  root_place_ = static_cast<int>(since_capture.size()) - 1;
  for (auto& killers : killers_) killers = {-1, -1};
  for (auto& owner : history_) owner.fill(0);
  std::vector<RootMove> moves;
  for (unsigned left = game.legal(); left != 0; left &= left - 1) moves.push_back({__builtin_ctz(left), 0});
  // Depths of one parity: who moves last has the better of it, so a value tells more about the one two moves deeper than about the next.
  for (int iteration = depth % 2 == 0 ? 2 : 1; iteration <= depth; iteration += 2) search_root(game, iteration, moves, iteration == depth);
  result.value = moves.front().value;
  for (const RootMove& move : moves) {
    if (move.value == result.value) result.best.push_back(move.action);
  }
  std::sort(result.best.begin(), result.best.end());
  result.nodes = nodes_;
  return result;
}

AlphaBeta::AlphaBeta(std::size_t table_bytes) : searcher_(std::make_unique<Searcher>(table_bytes)) {}
AlphaBeta::~AlphaBeta() = default;
AlphaBeta::AlphaBeta(AlphaBeta&&) noexcept = default;
AlphaBeta& AlphaBeta::operator=(AlphaBeta&&) noexcept = default;
AlphaBetaResult AlphaBeta::search(const Game& game, int depth) { return searcher_->search(game, depth); }

}  // namespace wari
