#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/notation.h"
#include "search/evaluator.h"

namespace wari {
namespace {

class UniformEvaluator final : public Evaluator {
 public:
  bool needs_tokens() const override { return false; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override { std::fill_n(outputs, static_cast<std::size_t>(batch.rows) * kOutputs, 0.0f); }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<UniformEvaluator>(); }
};

// Runs both and compares, so that a fast evaluator can be watched by a slow one in a real run.
class CheckingEvaluator final : public Evaluator {
 public:
  CheckingEvaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, float tolerance)
      : first_(std::move(first)), second_(std::move(second)), tolerance_(tolerance) {}

  bool needs_tokens() const override { return first_->needs_tokens() || second_->needs_tokens(); }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    others_.resize(static_cast<std::size_t>(batch.rows) * kOutputs);
    first_->evaluate(batch, outputs);
    second_->evaluate(batch, others_.data());
    for (int row = 0; row < batch.rows; ++row) {
      if (batch.active == nullptr || batch.active[row] != 0) compare(batch, row, outputs + static_cast<std::ptrdiff_t>(row) * kOutputs);
    }
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<CheckingEvaluator>(first_->clone(), second_->clone(), tolerance_); }

 private:
  void compare(const EvaluationBatch& batch, int row, const float* outputs /* [kOutputs] */) const {
    const float* const others = others_.data() + static_cast<std::size_t>(row) * kOutputs;
    for (int i = 0; i < kOutputs; ++i) {
      if (std::fabs(outputs[i] - others[i]) <= tolerance_) continue;
      throw Error("two evaluators differ: output " + std::to_string(i) + " at " + position_text(batch.positions[row]) + ": " + std::to_string(outputs[i]) + " and " +
                      std::to_string(others[i]) + ": use the slower one and report it",
                  ErrorKind::check_failed);
    }
  }

  std::unique_ptr<Evaluator> first_, second_;
  float tolerance_;
  std::vector<float> others_;  // [rows, kOutputs]
};

}  // namespace

std::unique_ptr<Evaluator> make_uniform_evaluator() { return std::make_unique<UniformEvaluator>(); }

std::unique_ptr<Evaluator> make_checking_evaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, float tolerance) {
  return std::make_unique<CheckingEvaluator>(std::move(first), std::move(second), tolerance);
}

}  // namespace wari
