#pragma once

#include <memory>
#include <span>

#include "train/inference/folded_network.h"
#include "train/inference/inference_engine.h"

namespace wari {

// `auto_`: 8-bit integers where they answer nearly as float32 does on the calibration positions (InferenceError::acceptable), else float32.
enum class Precision { auto_, float32, int8 };

// How far one evaluation is from another over a set of positions. Policies are softmaxes over the mover's pits that hold seeds; their distance is half the sum of absolute
// differences. Values are win minus loss.
struct InferenceError {
  int positions = 0;
  double policy_mean = 0, policy_max = 0;  // 0..1
  double value_mean = 0, value_max = 0;    // 0..2
  double margin_mean = 0, margin_max = 0;  // units of the margin output
  double same_best = 0;                    // share of positions where both prefer the same pit

  bool acceptable() const { return policy_mean <= 0.03 && value_mean <= 0.03; }
};

// The forward pass on one CPU thread, without Torch: what self-play, matches and analysis use. An instance owns scratch memory and serves one thread; clones share the
// weights. Every row is computed alone: the same bits at any place of any batch, and in every build.
class CpuNetwork {
 public:
  // `calibration`: positions like those to come, [n, kTokens]; a thousand do. They choose the ranges of the 8-bit activations, so equal weights and calibration give equal
  // networks. Not needed for `float32`.
  CpuNetwork(const FoldedNetwork& network, Precision precision, std::span<const Token> calibration);

  void evaluate(const Token* tokens /* [rows, kTokens] */, int rows, float* outputs /* [rows, kNetworkOutputs] */) { engine_->evaluate(tokens, rows, outputs); }
  CpuNetwork clone() const { return CpuNetwork(engine_->clone(), precision_); }
  Precision precision() const { return precision_; }  // never auto_

 private:
  CpuNetwork(std::unique_ptr<InferenceEngine> engine, Precision precision) : engine_(std::move(engine)), precision_(precision) {}

  std::unique_ptr<InferenceEngine> engine_;
  Precision precision_;
};

InferenceError compare_outputs(std::span<const Token> tokens /* [n, kTokens] */, std::span<const float> expected /* [n, kNetworkOutputs] */, std::span<const float> actual);
// Evaluates the positions in float32 and in 8-bit integers, calibrated on the first half of them.
InferenceError int8_error(const FoldedNetwork& network, std::span<const Token> tokens /* [n, kTokens] */);

}  // namespace wari
