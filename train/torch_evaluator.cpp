#include "train/torch_evaluator.h"

#include "train/network_module.h"

namespace wari {

namespace {

class TorchEvaluator : public Evaluator {
 public:
  explicit TorchEvaluator(std::shared_ptr<const NetworkModule> module) : module_(std::move(module)) {}

  bool needs_tokens() const override { return true; }

  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    const torch::NoGradGuard no_grad;
    const torch::Tensor tokens = torch::zeros({batch.rows, kTokens}, torch::kLong);
    auto values = tokens.accessor<std::int64_t, 2>();
    for (int row = 0; row < batch.rows; ++row) {
      if (batch.active != nullptr && batch.active[row] == 0) continue;
      const Token* board = batch.board_tokens + static_cast<std::ptrdiff_t>(row) * kBoardTokens;
      Token rules[kRuleTokens];
      encode_rules(batch.rules[batch.rules_index[row]], rules);
      for (int i = 0; i < kBoardTokens; ++i) values[row][i] = board[i];
      for (int i = 0; i < kRuleTokens; ++i) values[row][kBoardTokens + i] = rules[i];
    }
    const torch::Tensor result = module_->forward(tokens).slice(1, 0, kOutputs).contiguous();
    std::copy_n(result.data_ptr<float>(), result.numel(), outputs);
  }

  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<TorchEvaluator>(module_); }

 private:
  std::shared_ptr<const NetworkModule> module_;
};

}  // namespace

std::unique_ptr<Evaluator> make_torch_evaluator(const NetworkLayout& layout, std::span<const float> weights) {
  auto module = std::make_shared<NetworkModule>(layout.settings());
  module->set_weights(weights);
  return std::make_unique<TorchEvaluator>(std::move(module));
}

}  // namespace wari
