#pragma once

#include <cstdint>
#include <memory>

#include "train/inference/inference_engine.h"
#include "train/inference/quantise.h"

namespace wari {

// The forward pass in 8-bit integers with float32 between the matrices' sums and the next activations.
class Int8Network final : public InferenceEngine {
 public:
  explicit Int8Network(std::shared_ptr<const Int8Weights> weights);

  void evaluate(const Token* tokens, int rows, float* outputs) override;
  std::unique_ptr<InferenceEngine> clone() const override { return std::make_unique<Int8Network>(weights_); }

  // What run_tile calls.
  void embed(const Token* tokens, int rows, std::uint8_t* x);
  void layer(int index, const GroupPlan& plan, const std::uint8_t* in, const std::uint8_t* residual, std::uint8_t* out) const;
  void head(const GroupPlan& plan, const std::uint8_t* in, float* outputs) const { fast::int8_head(weights_->head, plan, in + weights_->layout.first_slot(), outputs); }

 private:
  void set_rules(const Token* rule_tokens);

  std::shared_ptr<const Int8Weights> weights_;
  AlignedVector<std::uint8_t> x_, y_;      // [tile rows, slots, pitch]
  AlignedVector<float> outputs_;           // [tile rows, kNetworkOutputs]
  AlignedVector<std::int16_t> rule_row_;   // [pitch / 32, {even, odd}, 16], in units of the table's bytes
  Token rule_tokens_[kRuleTokens];
};

}  // namespace wari
