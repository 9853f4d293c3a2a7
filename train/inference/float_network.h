#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "train/inference/float_kernels.h"
#include "train/inference/inference_engine.h"

namespace wari {

// A folded network packed for the float32 kernels; immutable, shared by the workers.
struct FloatWeights {
  explicit FloatWeights(const FoldedNetwork& network);

  TrunkLayout layout;
  AlignedVector<float> embedding;   // [kVocabulary, pitch]
  AlignedVector<float> input_bias;  // [pitch]
  std::vector<FloatMatrix> layers;
  FloatMatrix head;
};

// The forward pass in float32: the reference of the integer one, and its source of activation ranges.
class FloatNetwork final : public InferenceEngine {
 public:
  explicit FloatNetwork(std::shared_ptr<const FloatWeights> weights);

  void evaluate(const Token* tokens, int rows, float* outputs) override;
  std::unique_ptr<InferenceEngine> clone() const override { return std::make_unique<FloatNetwork>(weights_); }

  // The largest activation of every unit or channel after each stage (first layer, then each matrix) over the given positions: [1 + layers, pitch].
  std::vector<float> largest_activations(const Token* tokens, int rows);

  // What run_tile calls.
  void embed(const Token* tokens, int rows, float* x);
  void layer(int index, const GroupPlan& plan, const float* in, const float* residual, float* out) const;
  void head(const GroupPlan& plan, const float* in, float* outputs) const { float_head(weights_->head, plan, in + weights_->layout.first_slot(), outputs); }

 private:
  template <class Seen>
  void run(const Token* tokens, int rows, float* outputs, const Seen& seen);
  void set_rules(const Token* rule_tokens);
  const float* row(Token token) const { return weights_->embedding.data() + static_cast<std::size_t>(token) * weights_->layout.pitch; }

  std::shared_ptr<const FloatWeights> weights_;
  AlignedVector<float> x_, y_;     // [tile rows, slots, pitch]
  AlignedVector<float> outputs_;   // [tile rows, kNetworkOutputs]
  AlignedVector<float> rule_row_;  // [pitch]: input bias and the rows of the rule tokens, which change seldom
  Token rule_tokens_[kRuleTokens];
};

}  // namespace wari
