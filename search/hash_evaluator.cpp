#include "core/random.h"
#include "search/evaluator.h"

namespace wari {
namespace {

// A stand-in for a network that costs next to nothing: every output is a hash of the position, made of integers until one multiplication at the end, so that it is the same
// everywhere. Searches and games on it test and time the search alone.
class HashEvaluator final : public Evaluator {
 public:
  explicit HashEvaluator(std::uint64_t seed) : seed_(seed) {}
  bool needs_tokens() const override { return false; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    for (int row = 0; row < batch.rows; ++row) write_row(batch.positions[row], outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<HashEvaluator>(seed_); }

 private:
  void write_row(const Position& position, float* outputs /* [kOutputs] */) const {
    std::uint64_t mixed = (position.mover + seed_) * 0x9e3779b97f4a7c15ULL;
    mixed ^= mixed >> 32;
    mixed = (mixed + position.opponent) * 0xd6e8feb86659fd93ULL;
    const auto low = static_cast<std::uint32_t>(mixed >> 32), high = static_cast<std::uint32_t>(mixed ^ (mixed >> 41));
    for (std::uint32_t i = 0; i < kOutputs; ++i) {
      std::uint32_t word = (low + i * 0x9e3779b9u) * 0x85ebca6bu;
      word = (word ^ (word >> 15) ^ high) * 0xc2b2ae35u;
      // 24 bits to -2..2; the margin to -1..1.
      const float scale = i == kMarginOutput ? 1.0f / 8388608.0f : 1.0f / 4194304.0f;
      outputs[i] = static_cast<float>(static_cast<std::int32_t>(word) >> 8) * scale;
    }
  }

  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Evaluator> make_hash_evaluator(std::uint64_t seed) { return std::make_unique<HashEvaluator>(seed == 0 ? 0 : mix64(seed)); }

}  // namespace wari
