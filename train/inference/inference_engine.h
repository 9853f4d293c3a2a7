#pragma once

#include <memory>

#include "core/tokens.h"

namespace wari {

// One arithmetic of the forward pass, with scratch memory for one thread; clones share the weights.
class InferenceEngine {
 public:
  virtual ~InferenceEngine() = default;
  virtual void evaluate(const Token* tokens /* [rows, kTokens] */, int rows, float* outputs /* [rows, kNetworkOutputs] */) = 0;
  virtual std::unique_ptr<InferenceEngine> clone() const = 0;
};

}  // namespace wari
