#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "search/chunk_workers.h"
#include "search/cpu_executor.h"
#include "search/kept_nodes.h"
#include "search/root_result.h"
#include "search/search_arena.h"
#include "search/thinker.h"
#include "search/visits_in_flight.h"

namespace wari {

// The tree of a game under one rule set. A step gathers leaves, one visit after the other, each going where those before it leave the best edge; workers make
// the nodes and judge them, a chunk at a time, while the next are gathered; then the visits come back in the order in which they were sent. So the tree depends
// on neither workers nor time.
class ThinkTree {
 public:
  virtual ~ThinkTree() = default;
  virtual void begin(const Game& game) = 0;
  // The game went on by `played` to `game`: keeps what is known from there on. False, and nothing is changed: nothing is known.
  virtual bool follow(const Game& game, std::span<const std::uint8_t> played) = 0;
  // To be done after either, before all that follows.
  virtual void judge_root(Evaluator& evaluator) = 0;
  // At most `simulations` more, fewer where the tree is small.
  virtual void step(std::int64_t simulations, ChunkWorkers& workers) = 0;
  virtual void judge_chunk(int chunk, Evaluator& evaluator) = 0;
  // A proven root's visits are filled up to `budget`.
  virtual RootResult result(std::int64_t budget) const = 0;
  virtual bool line_is_over() const = 0;  // the end of the principal variation is proven
  virtual bool proven() const = 0;
  virtual KnownMove known() const = 0;  // at any time
  virtual std::int64_t simulations() const = 0;
  virtual std::int64_t nodes() const = 0;
  virtual std::int64_t capacity() const = 0;
  virtual bool is_full() const = 0;  // the next step makes room first, which takes as long as hundreds of others
};

std::unique_ptr<ThinkTree> make_think_tree(const ThinkerSettings& settings, const Rules& rules, bool tokens);

template <class N>
class ThinkTreeOf final : public ThinkTree {
 public:
  ThinkTreeOf(const ThinkerSettings& settings, const Rules& rules, bool tokens)
      : capacity_(std::clamp(settings.nodes_max, kNodesLeast, kNodesMost)),
        batch_(static_cast<int>(std::min<std::int64_t>(settings.batch > 0 ? settings.batch : kBatch, capacity_ / 4))),
        visits_a_leaf_(settings.visits_a_leaf),
        loss_(static_cast<float>(settings.virtual_loss)),
        arena_(settings.search, {&rules, 1}, batch_ + 1, capacity_, kTableVisits, tokens, settings.tables, settings.table_search, true),
        view_(arena_.view()),
        parameters_(*view_.parameters),
        rules_(*parameters_.rules),
        nodes_(view_.nodes),
        lane_(view_.lanes[0]),
        opinions_(static_cast<std::size_t>(capacity_), "opinions of nodes"),
        entries_(static_cast<std::size_t>(batch_)),
        chunk_ends_(static_cast<std::size_t>(batch_ / kChunk + 1)) {}

  void begin(const Game& game) override {
    lane_.node_count = 0;
    take_game(game);
  }

  bool follow(const Game& game, std::span<const std::uint8_t> played) override {
    if (lane_.node_count == 0) return false;
    std::uint32_t at = 0;
    for (const std::uint8_t action : played) {
      // What was proven when it was made has no edges, and no visits.
      at = nodes_[at].visits == 0 ? 0 : nodes_[at].child_index(action);
      if (at == 0) return false;
    }
    if (nodes_[at].visits == 0 || !(nodes_[at].position == game.position())) return false;
    keep(at, 0);
    take_game(game);
    return true;
  }

  void judge_root(Evaluator& evaluator) override {
    if (judged_) return;
    const std::int32_t kept_nodes = lane_.node_count;
    const N kept = nodes_[0];
    lane_.history = history_.data();
    lane_.root_quiet = static_cast<std::int32_t>(history_.size()) - 1;
    begin_search(view_, 0, history_.back(), legal_);
    CpuExecutor::run(arena_.encode_step(), 0, 1);
    evaluator.evaluate(arena_.batch(1), arena_.outputs());
    CpuExecutor::run(arena_.open_step(), 0, 1);
    arena_.backup_step()(0);
    opinions_[0] = {lane_.draw_sum, lane_.margin_sum};
    draw_sum_ = margin_sum_ = 0;
    if (kept_nodes > 0) adopt(kept, kept_nodes);
    judged_ = true;
  }

  void step(std::int64_t simulations, ChunkWorkers& workers) override {
    const std::int64_t leaves = std::min<std::int64_t>({simulations, batch_, 1 + lane_.simulations / visits_a_leaf_});
    if (lane_.node_count + leaves > capacity_) recycle();
    gather(static_cast<int>(leaves), workers);
    for (const SavedNode<N>& saved : saved_) saved.restore(nodes_[saved.index]);
    int i = 0;
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      workers.finish(chunk);
      for (; i < chunk_ends_[static_cast<std::size_t>(chunk)]; ++i) come_back(entries_[static_cast<std::size_t>(i)]);
    }
    for (const SavedNode<N>& saved : saved_) {
      N& node = nodes_[saved.index];
      node.flags &= static_cast<std::uint8_t>(~kNodeSaved);
      store_best_edge<Kernel>(parameters_, node);
    }
    workers.reset();
    if (lane_.simulations >= kFloatSums) fold_sums();
  }

  void judge_chunk(int chunk, Evaluator& evaluator) override {
    const int first = chunk * kChunk, last = chunk_ends_[static_cast<std::size_t>(chunk)];
    const int base = 1 + first;  // row 0 is the root's
    int end = base;
    for (int i = first; i < last; ++i) {
      Entry& entry = entries_[static_cast<std::size_t>(i)];
      entry.row = -1;
      if (!entry.is_new) continue;
      make_node(parameters_, rules_, nodes_, lane_, entry.node, entry.parent, entry.depth, entry.edge);
      if ((nodes_[entry.node].flags & kNodeProven) != 0) continue;
      view_.lanes[end].leaf = static_cast<std::int32_t>(entry.node);
      entry.row = end++;
    }
    if (end == base) return;
    const auto row = static_cast<std::size_t>(base);
    CpuExecutor::run(arena_.encode_step(), base, end);
    evaluator.evaluate(arena_.batch(end - base, row), arena_.outputs() + row * kOutputs);
    CpuExecutor::run(arena_.open_step(), base, end);
    for (int index = base; index < end; ++index) {
      N& leaf = nodes_[view_.lanes[index].leaf];
      prefer_table(view_, index, leaf);
      leaf.visits = 1;
      leaf.value = view_.leaves.value[index];
    }
  }

  RootResult result(std::int64_t budget) const override {
    Answer answer;
    write_answer(parameters_, nodes_, view_.roots[0], lane_with(budget), answer);
    return result_of(answer, rules_);
  }

  bool line_is_over() const override {
    Answer answer;
    write_answer(parameters_, nodes_, view_.roots[0], lane_with(0), answer);
    const std::uint32_t last = write_line(nodes_, answer);
    if ((nodes_[last].flags & kNodeProven) != 0) return true;
    if (answer.line_length == 0 || answer.line_length == kLineKept) return false;
    return nodes_[last].child[answer.line[answer.line_length - 1]] == N::kProvenChild;  // its node made room in a full tree
  }

  bool proven() const override { return (nodes_[0].flags & kNodeProven) != 0; }
  KnownMove known() const override {
    if (judged_) {
      const RootResult root = result(0);
      return lane_.simulations > 0 ? KnownMove{root.best, lane_.simulations, root.margin} : KnownMove{};
    }
    if (lane_.node_count == 0 || nodes_[0].visits < 2) return {};
    const N& kept = nodes_[0];
    KnownMove known{-1, static_cast<std::int64_t>(kept.visits) - 1, static_cast<float>(kept_margin_ * rules_.total_seeds())};
    std::int64_t most = -1;
    for (int e = 0; e < N::kEdges; ++e) {
      const bool lost = ((kept.proven_edges >> e) & 1) != 0 && kept.edge_value[e] < 0;
      const std::int64_t visits = lost ? 0 : static_cast<std::int64_t>(kept.edge_visits[e]);
      if (((kept.legal >> e) & 1) == 0 || visits <= most) continue;
      most = visits;
      known.best = e;
    }
    return known;
  }
  std::int64_t simulations() const override { return lane_.simulations; }
  std::int64_t nodes() const override { return lane_.node_count; }
  std::int64_t capacity() const override { return capacity_; }
  bool is_full() const override { return lane_.node_count + batch_ > capacity_; }
  const N& node(std::uint32_t index) const { return nodes_[index]; }
  const SearchParameters& parameters() const { return parameters_; }

 private:
  using Kernel = CpuExecutor::Kernel;
  using Answer = SearchAnswer<N::kEdges>;

  static constexpr std::int64_t kNodesLeast = 16, kNodesMost = std::int64_t{1} << 30;
  static constexpr int kBatch = 256;
  static constexpr int kChunk = 32;          // leaves that a worker takes up at once
  static constexpr int kTableVisits = 4096;  // what lies beyond is computed: larger tables would crowd the nodes out of the cache

  // A visit in flight.
  struct Entry {
    std::uint32_t parent = 0;
    std::uint32_t node = 0;  // below `edge` of the parent; 0: proven, and its node is gone
    std::int32_t depth = 0;  // of the parent
    std::int32_t row = -1;   // of the evaluator's batch; -1: its value is known
    std::uint8_t edge = 0;
    bool is_new = false;  // to be made
  };

  // Sums over so many visits are kept in doubles, where one more still counts.
  static constexpr std::int64_t kFloatSums = std::int64_t{1} << 20;
  void fold_sums() {
    draw_sum_ += lane_.draw_sum;
    margin_sum_ += lane_.margin_sum;
    lane_.draw_sum = lane_.margin_sum = 0;
  }

  void take_game(const Game& game) {
    history_ = game.since_capture();
    legal_ = game.legal();
    judged_ = false;
  }

  void keep(std::uint32_t top, std::uint32_t least_visits) {
    const KeptNodes kept = keep_nodes(nodes_, opinions_.data(), static_cast<std::uint32_t>(lane_.node_count), top, least_visits);
    lane_.node_count = static_cast<std::int32_t>(kept.count);
    kept_draw_ = kept.draw / kept.count;
    kept_margin_ = kept.margin / kept.count;
  }

  // A fresh root takes what is known of it: everything but its priors, which no inner node has with their share of equal ones.
  void adopt(const N& kept, std::int32_t kept_nodes) {
    N& root = nodes_[0];
    for (int e = 0; e < N::kEdges; ++e) {
      const auto visits = kept.edge_visits[e];
      root.child[e] = kept.child[e];
      if (visits == 0 || ((kept.legal >> e) & 1) == 0) continue;
      root.edge_visits[e] = visits;
      root.edge_value[e] = kept.edge_value[e];
      const bool proven = ((kept.proven_edges >> e) & 1) != 0;
      root.edge_urgency[e] = proven ? 0.0f : static_cast<float>(root.prior[e]) * kPriorUnit * reciprocal_at<N>(parameters_, visits + 1u);
    }
    root.proven_edges = kept.proven_edges;
    root.flags = kept.flags & kNodeProven;
    root.visits = kept.visits;
    root.value = kept.value;
    store_best_edge<Kernel>(parameters_, root);
    lane_.node_count = kept_nodes;
    lane_.simulations = static_cast<std::int32_t>(kept.visits - 1);
    lane_.draw_sum = static_cast<float>(kept_draw_ * kept.visits);
    lane_.margin_sum = static_cast<float>(kept_margin_ * kept.visits);
    if (lane_.simulations >= kFloatSums) fold_sums();
  }

  // The tree is full: the half of the nodes with the fewest visits makes room.
  void recycle() {
    std::vector<std::uint32_t> visits;
    for (std::int32_t index = 0; index < lane_.node_count; ++index) visits.push_back(nodes_[index].visits);
    const auto middle = visits.begin() + lane_.node_count / 2;
    std::nth_element(visits.begin(), middle, visits.end());
    keep(0, *middle + 1);
  }

  void gather(int wanted, ChunkWorkers& workers) {
    first_new_ = static_cast<std::uint32_t>(lane_.node_count);
    saved_.clear();
    chunks_ = 0;
    int sent = 0;
    for (int collisions = 0; sent < wanted && collisions <= wanted / 2;) {
      if (!send(entries_[static_cast<std::size_t>(sent)])) {
        ++collisions;
        continue;
      }
      if (++sent % kChunk == 0) offer(sent, workers);
    }
    if (sent % kChunk != 0) offer(sent, workers);
  }

  void offer(int end, ChunkWorkers& workers) {
    chunk_ends_[static_cast<std::size_t>(chunks_++)] = end;
    workers.offer();
  }

  // Sends a visit down. False if it came to a node that waits for its judge: it goes nowhere, but what it leaves on its way keeps others from following.
  bool send(Entry& entry) {
    std::uint32_t at = 0;
    for (std::int32_t depth = 0;; ++depth) {
      N& node = nodes_[at];
      const std::uint32_t child = node.best_child;
      const int edge = node.best_edge;
      const bool enters = may_enter<N>(child);
      if (enters) prefetch(nodes_ + child);
      if ((node.flags & kNodeSaved) == 0) {
        saved_.emplace_back(at, node);
        node.flags |= kNodeSaved;
      }
      send_visit<Kernel>(parameters_, node, loss_);
      if (enters && child < first_new_) {
        at = child;
        continue;
      }
      if (enters) return false;
      entry.parent = at;
      entry.edge = static_cast<std::uint8_t>(edge);
      entry.depth = depth;
      entry.is_new = child == 0;
      entry.node = entry.is_new ? static_cast<std::uint32_t>(lane_.node_count++) : child & (N::kProvenChild - 1u);
      if (entry.is_new) node.child[edge] = entry.node;
      if (node.best_edge == edge) node.best_child = node.child[edge];
      return true;
    }
  }

  static void prefetch(const N* node) {
    for (std::size_t line = 0; line < sizeof(N); line += 64) __builtin_prefetch(reinterpret_cast<const char*>(node) + line, 1);
  }

  void come_back(const Entry& entry) {
    LeafValue value;
    bool proven = true;
    if (entry.node == 0) {
      const float exact = nodes_[entry.parent].edge_value[entry.edge];
      value = {exact, exact == 0 ? 1.0f : 0.0f, 0.0f};
    } else {
      const N& leaf = nodes_[entry.node];
      const LeafRows& rows = view_.leaves;
      proven = (leaf.flags & kNodeProven) != 0;
      value = entry.row < 0 ? ExpandStep<Kernel, N>::known_value(parameters_, leaf, lane_)
                            : LeafValue{rows.value[entry.row], rows.draw[entry.row], rows.margin[entry.row]};
      if (entry.is_new) opinions_[entry.node] = {value.draw, value.margin};
      if (is_north(leaf.position.mover) != is_north(nodes_[entry.parent].position.mover)) {
        value.value = -value.value;
        value.margin = -value.margin;
      }
      if (entry.row >= 0 && rows.bad[entry.row] != 0) lane_.bad_outputs += lane_.bad_outputs < 255 ? 1 : 0;
    }
    bring_back<Kernel>(parameters_, nodes_, lane_, entry.parent, entry.edge, value, proven);
  }

  SearchLane lane_with(std::int64_t budget) const {
    SearchLane lane = lane_;
    lane.draw_sum = static_cast<float>(draw_sum_ + lane_.draw_sum);
    lane.margin_sum = static_cast<float>(margin_sum_ + lane_.margin_sum);
    lane.budget = static_cast<std::int32_t>(std::clamp<std::int64_t>(budget, lane.simulations, std::numeric_limits<std::int32_t>::max()));
    return lane;
  }

  std::int64_t capacity_;
  int batch_;
  int visits_a_leaf_;
  float loss_;
  SearchArena<CpuExecutor, N> arena_;
  const SearchView<N> view_;
  const SearchParameters parameters_;
  const Rules rules_;
  N* const nodes_;                   // [capacity]
  SearchLane& lane_;                 // of the tree; the lanes behind it are rows of the batch
  LaneArray<Opinion> opinions_;      // [capacity]
  std::vector<Entry> entries_;       // [batch]
  std::vector<int> chunk_ends_;      // entries up to the end of each chunk of the step
  std::vector<SavedNode<N>> saved_;  // every node that a visit in flight has passed
  std::vector<Position> history_;    // since the last capture
  std::uint16_t legal_ = 0;
  bool judged_ = false;          // the root is
  std::uint32_t first_new_ = 0;  // node of this step
  int chunks_ = 0;
  double draw_sum_ = 0, margin_sum_ = 0;    // beside the lane's
  double kept_draw_ = 0, kept_margin_ = 0;  // means of the nodes kept, of the root's mover
};

}  // namespace wari
