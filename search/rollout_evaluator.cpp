#include <algorithm>

#include "core/moves.h"
#include "core/random.h"
#include "core/sowing.h"
#include "search/evaluator.h"

namespace wari {
namespace {

// Judges a leaf by one random game from it: even priors, the result as certain. The draws depend on the position alone, so a row is the same in any batch.
class RolloutEvaluator final : public Evaluator {
 public:
  explicit RolloutEvaluator(std::uint64_t seed) : seed_(seed) {}
  bool needs_tokens() const override { return false; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    for (int row = 0; row < batch.rows; ++row) {
      if (batch.active != nullptr && batch.active[row] == 0) continue;
      const Rules& rules = batch.rules[batch.rules_index[row]];
      write_row(rules, batch.positions[row], batch.quiet_plies[row], outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
    }
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<RolloutEvaluator>(seed_); }

 private:
  static constexpr int kQuietPliesMax = 100;   // of a playout: longer shuffling is settled by the own rows
  static constexpr float kCertain = 12.0f;     // logit of the result against 0

  void write_row(const Rules& rules, const Position& start, int quiet_plies, float* outputs /* [kOutputs] */) const {
    for (int i = 0; i < kOutputs; ++i) outputs[i] = 0;
    const int difference = play_out(rules, start, quiet_plies);
    outputs[kWdlOutput + (difference > 0 ? 0 : difference == 0 ? 1 : 2)] = kCertain;
    outputs[kMarginOutput] = static_cast<float>(difference) / static_cast<float>(2 * rules.total_seeds());
  }

  // Final difference of the stores, mover minus opponent at `start`, in half seeds.
  int play_out(const Rules& rules, const Position& start, int quiet_plies) const {
    const SowingTables& tables = sowing_tables();
    const std::uint64_t key = mix64(start.mover + seed_) ^ mix64(start.opponent + 0x9e3779b97f4a7c15ULL);
    Position position = start;
    std::uint16_t legal = legal_actions(tables, rules, position);
    End end = legal == 0 ? End::no_move : End::none;
    int quiet = quiet_plies;
    const int quiet_end = rules.quiet_plies == 0 ? quiet + kQuietPliesMax : std::min<int>(rules.quiet_plies, quiet + kQuietPliesMax);
    for (std::uint32_t ply = 0; end == End::none; ++ply) {
      std::uint32_t pick = random_below(mix64(key + ply * 0x9e3779b97f4a7c15ULL), static_cast<std::uint32_t>(count_bits(legal)));
      std::uint32_t left = legal;
      for (; pick > 0; --pick) left &= left - 1;
      const Move move = play(tables, rules, position, __builtin_ctz(left));
      position = move.position;
      legal = move.legal;
      end = move.end;
      quiet = move.captured > 0 ? 0 : quiet + 1;
      if (end == End::none && quiet >= quiet_end) end = End::quiet;
    }
    const FinalStores stores = final_stores(rules, position, end);
    const int difference = stores.mover_half_seeds - stores.opponent_half_seeds;
    return north_moves(position) == north_moves(start) ? difference : -difference;
  }

  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Evaluator> make_rollout_evaluator(std::uint64_t seed) { return std::make_unique<RolloutEvaluator>(mix64(seed)); }

}  // namespace wari
