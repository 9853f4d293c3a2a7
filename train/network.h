#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/tokens.h"
#include "train/inference/folded_network.h"

// The network as data: its settings, the tensors that it consists of and where they lie in one flat float32 buffer. No Torch here: players read a checkpoint without it;
// train/network_module.h is the same network as a Torch module.
namespace wari {

// The kinds' names in order of TrunkKind: for configurations, checkpoints and a network's own name.
const std::vector<std::string>& trunk_kind_names();
inline const std::string& trunk_kind_name(TrunkKind kind) { return trunk_kind_names()[static_cast<std::size_t>(kind)]; }

struct NetworkSettings {
  TrunkKind kind = TrunkKind::mlp;
  int width = 128;
  int blocks = 2;

  bool operator==(const NetworkSettings&) const = default;

  template <class Visitor>
  void fields(Visitor& v) {
    v.choice("kind", kind, trunk_kind_names(), "mlp: one matrix a block on the sum of all tokens; conv: twelve pits in a circle, two 3-wide convolutions a block");
    v.number("width", width, 8, 4096, "units (mlp) or channels (conv); multiples of 16 are fast");
    v.number("blocks", blocks, 1, 64, "residual blocks");
  }
};

// "mlp_3x256": kind, blocks x width.
std::string network_name(const NetworkSettings& settings);

// The heads, each a matrix on the trunk's features. The first three are what the search reads (kNetworkOutputs); the others only teach the trunk and serve analysis.
inline constexpr int kMarginClasses = 2 * kMaxSeeds + 1;  // final margin from -72 to 72 seeds, half seeds rounded towards the even count
inline constexpr int kAuxiliaryOutputs = kMarginClasses + 1;
inline constexpr int kHeadOutputs = kNetworkOutputs + kAuxiliaryOutputs;
inline constexpr int kMarginClassOutput = kNetworkOutputs;                   // first of kMarginClasses logits
inline constexpr int kPliesLeftOutput = kMarginClassOutput + kMarginClasses;
inline constexpr float kPliesLeftUnit = 100.0f;                              // the head's 1.0 is this many plies

// One tensor of the network: its name as in files, its shape (row-major) and its place in the flat buffer.
struct TensorPlace {
  std::string name;                  // "blocks.0.weight"
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;           // floats from the start of the buffer
  std::int64_t size = 0;             // floats
  bool decays = false;               // weight decay applies: hidden matrices only
};

// Tensors in order: embedding, blocks, then all head matrices and all head biases in the order of the outputs, so that one product serves all heads.
class NetworkLayout {
 public:
  explicit NetworkLayout(const NetworkSettings& settings);

  const NetworkSettings& settings() const { return settings_; }
  const std::vector<TensorPlace>& tensors() const { return tensors_; }
  const TensorPlace& find(const std::string& name) const;
  std::int64_t size() const { return size_; }          // floats of the flat buffer, padding included
  std::int64_t parameters() const;                     // floats without padding
  int positions() const { return settings_.kind == TrunkKind::conv ? kPitTokens : 1; }
  int features() const { return positions() * settings_.width; }
  int layers() const { return settings_.kind == TrunkKind::conv ? 2 * settings_.blocks : settings_.blocks; }
  int layer_inputs() const { return settings_.kind == TrunkKind::conv ? 3 * settings_.width : settings_.width; }
  std::int64_t embedding() const { return embedding_; }                                             // [kVocabulary, width]
  std::int64_t input_bias() const { return input_bias_; }                                           // [width]
  std::int64_t layer_weight(int layer) const { return layer_weight_[static_cast<std::size_t>(layer)]; }  // mlp [width, width]; conv [width out, 3 taps, width in]
  std::int64_t layer_bias(int layer) const { return layer_bias_[static_cast<std::size_t>(layer)]; }      // [width]
  std::int64_t head_weight() const { return head_weight_; }                                         // [kHeadOutputs, features]
  std::int64_t head_bias() const { return head_bias_; }                                             // [kHeadOutputs]

 private:
  std::int64_t add(const std::string& name, std::vector<std::int64_t> shape, bool decays, bool aligned);

  NetworkSettings settings_;
  std::vector<TensorPlace> tensors_;
  std::vector<std::int64_t> layer_weight_, layer_bias_;
  std::int64_t embedding_ = 0, input_bias_ = 0, head_weight_ = 0, head_bias_ = 0, size_ = 0;
};

// Initial weights as a function of the seed, the same on every machine: [layout.size()].
std::vector<float> initial_weights(const NetworkLayout& layout, std::uint64_t seed);

// What inference needs of a flat buffer [layout.size()].
FoldedNetwork fold_network(const NetworkLayout& layout, std::span<const float> weights);

}  // namespace wari
