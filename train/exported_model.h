#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "train/network.h"

// A trained network as it leaves for other programs: the averaged weights, its inputs and outputs, and what one must know to use them (docs/export.md).
namespace wari {

inline constexpr int kExportFormat = 1;  // of names, shapes and metadata; token layout and rules carry versions of their own

struct ExportedModel {
  NetworkLayout layout;
  std::vector<float> weights;       // [layout.size()]
  nlohmann::ordered_json metadata;  // depends on the checkpoint alone: no time, no path, so equal checkpoints give equal files

  std::span<const float> tensor(const TensorPlace& place) const {
    return std::span(weights).subspan(static_cast<std::size_t>(place.offset), static_cast<std::size_t>(place.size));
  }
  std::span<const float> tensor(const std::string& name) const { return tensor(layout.find(name)); }
};

// `path`: a checkpoint's folder, a run's, RUN@best. Throws Error: none there, damaged, another version.
ExportedModel load_exported_model(const std::string& path);

// The metadata as files hold it: everything that is not text as JSON.
std::map<std::string, std::string> metadata_texts(const ExportedModel& model);

// What goes in or comes out. The shape begins with the batch, whose size is free.
struct ModelPort {
  std::string name;
  std::string type;                 // "int32", "float32"
  std::vector<std::int64_t> shape;  // of one position: [12]; empty: a single number
  std::string meaning;
};
std::vector<ModelPort> model_inputs();
std::vector<ModelPort> model_outputs();

// Row of the embedding table at which each of the kTokens places begins: a token is its place's offset plus a small number.
std::vector<int> token_offsets();

}  // namespace wari
