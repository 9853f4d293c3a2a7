#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/tokens.h"

// Judges leaves in batches: a network, or a stand-in for one (uniform, hash, rollouts, a checker of two).
namespace wari {

inline constexpr int kOutputs = 16;       // floats per position that the search reads
inline constexpr int kPolicyOutput = 0;   // 0..11: policy logits per action, from the mover's side; illegal ones are ignored
inline constexpr int kWdlOutput = 12;     // 12..14: logits of win, draw, loss for the mover
inline constexpr int kMarginOutput = 15;  // expected final margin, mover's store minus opponent's, as a share of all seeds

// One batch of leaves. Rows are independent: an evaluator's answer to a row depends on that row alone.
struct EvaluationBatch {
  int rows = 0;
  const Position* positions = nullptr;           // [rows]
  const std::uint16_t* quiet_plies = nullptr;    // [rows]
  const std::uint8_t* rules_index = nullptr;     // [rows], index into `rules`
  std::span<const Rules> rules;                  // the rule sets of this engine
  const Token* board_tokens = nullptr;           // [rows, kBoardTokens]; null unless needs_tokens()
  // Rows hold a live position where `active` is not 0; idle rows are padding: anything may be written to their output.
  const std::uint8_t* active = nullptr;          // [rows]
  void* stream = nullptr;                        // of a GPU, where the batch lies in its memory: work is put there and not waited for
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual bool needs_tokens() const = 0;
  // Do batches and outputs lie in the memory of a GPU?
  virtual bool on_device() const { return false; }
  virtual void evaluate(const EvaluationBatch& batch, float* outputs /* [rows, kOutputs] */) = 0;
  // Copies the weights of `other` over its own, in place, so that what holds their addresses (a graph of waves) goes on with the new ones; none of its work may be under way.
  // False, and nothing is done: `other` is of another kind or shape, or this evaluator cannot.
  virtual bool take_weights(const Evaluator& /* other */) { return false; }
  // An evaluator of its own for another worker: shares constant data at most, no scratch memory.
  virtual std::unique_ptr<Evaluator> clone() const = 0;
};

std::unique_ptr<Evaluator> make_uniform_evaluator();                       // all zero: equal priors, even value
std::unique_ptr<Evaluator> make_hash_evaluator(std::uint64_t seed = 0);    // pseudo-random logits from the position: integers only until the last step
std::unique_ptr<Evaluator> make_rollout_evaluator(std::uint64_t seed);     // one random playout a leaf, uniform priors
// Runs both on every batch and throws Error if an output differs by more than `tolerance`; answers with the first.
std::unique_ptr<Evaluator> make_checking_evaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, float tolerance);

}  // namespace wari
