#include "core/random.h"
#include "search/evaluator.h"
#include "search/hash_row.h"

namespace wari {
namespace {

// A stand-in for a network that costs next to nothing: every output is a hash of the position. Searches and games on it test and time the search alone.
class HashEvaluator final : public Evaluator {
 public:
  explicit HashEvaluator(std::uint64_t row_seed) : row_seed_(row_seed) {}
  bool needs_tokens() const override { return false; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    for (int row = 0; row < batch.rows; ++row) hash_row(row_seed_, batch.positions[row], outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<HashEvaluator>(row_seed_); }

 private:
  std::uint64_t row_seed_;
};

}  // namespace

std::unique_ptr<Evaluator> make_hash_evaluator(std::uint64_t seed) { return std::make_unique<HashEvaluator>(hash_row_seed(seed)); }

}  // namespace wari
